package dev.sluice.scheduling;

import static dev.sluice.scheduling.Facts.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.CoreFact.Capability;
import dev.sluice.scheduling.CoreFact.WarmUp;
import dev.sluice.scheduling.Prediction.Source;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where predictions come from, the best source first. */
final class ServiceTimesTest {
  private final ServiceTimes times = new ServiceTimes();

  private ServiceTimes.Model model(WarmUp... warmUps) {
    Capability capability =
        new Capability("vit", "pytorch", "fp32", 2_000_000_000, List.of(warmUps));
    times.readCapabilities(
        List.of(
            new ExecutorLanes(0, Facts.executor("e", 1, false, 1, 1000, List.of(capability)), 0)));
    return times.model("cpu", "vit", "pytorch", "fp32");
  }

  @Test
  void countsOperations_whenNothingWasTimed() {
    assertThat(model().predict(5)).isEqualTo(new Prediction(100 * MS, Source.FLOPS));
  }

  @Test
  void takesTheWarmUp_whenItHadThatManySamples() {
    assertThat(model(new WarmUp(4, 9 * MS)).predict(4))
        .isEqualTo(new Prediction(9 * MS, Source.WARM_UP));
  }

  @Test
  void scalesTheNearestSamples_theFewerOfTwoEquallyNear() {
    ServiceTimes.Model model = model(new WarmUp(2, 10 * MS), new WarmUp(6, 60 * MS));
    assertThat(model.predict(5)).isEqualTo(new Prediction(50 * MS, Source.NEAREST_SAMPLES));
    assertThat(model.predict(4)).isEqualTo(new Prediction(20 * MS, Source.NEAREST_SAMPLES));
    assertThat(model.predict(2000)).isEqualTo(new Prediction(20_000 * MS, Source.NEAREST_SAMPLES));
  }

  @Test
  void takesTheRunningMean_onceABatchOfThatManySamplesCompleted() {
    ServiceTimes.Model model = model(new WarmUp(4, 9 * MS));
    assertThat(model.predict(4).meanNs()).isEqualTo(9 * MS);
    model.completed(4, 20 * MS);
    assertThat(model.predict(4)).isEqualTo(new Prediction(20 * MS, Source.RUNNING_MEAN));
    model.completed(4, 30 * MS);
    assertThat(model.toEntity(4))
        .isEqualTo(new CoreEntity.RunningMean("cpu", "vit", "pytorch", "fp32", 4, 2, 25.0 * MS));
    assertThat(model.predict(8)).isEqualTo(new Prediction(50 * MS, Source.NEAREST_SAMPLES));
  }

  @Test
  void keepsDeviceKindsApart() {
    model(new WarmUp(1, MS)).completed(1, 7 * MS);
    assertThat(times.model("accelerator", "vit", "pytorch", "fp32").predict(1))
        .isEqualTo(new Prediction(1, Source.FLOPS));
  }
}
