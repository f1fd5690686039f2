package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.prediction.ModelTimes;
import dev.sluice.scheduling.prediction.ModelTimes.PredictionSource;
import dev.sluice.scheduling.prediction.ServiceTimes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where predictions come from, the best source first. */
final class ServiceTimesTest {
  private final ServiceTimes times = new ServiceTimes(CoreSettings.Predictor.OFF);

  private ModelTimes model(WarmUp... warmUps) {
    Capability capability =
        new Capability("vit", "pytorch", "fp32", 2_000_000_000, List.of(warmUps));
    times.readCapabilities(List.of(Facts.executor("e", 1, false, 1, 1000, List.of(capability))));
    return times.model("cpu", new ModelKey("vit", "pytorch", "fp32"));
  }

  private static void complete(ModelTimes model, int samples, long serviceNs) {
    model.completed(model.predict(samples, 1), samples, serviceNs);
  }

  @Test
  void countsOperations_whenNothingWasTimed() {
    assertThat(model().predict(5, 1))
        .isEqualTo(Prediction.ofMean(100 * MS, PredictionSource.FLOPS.text(), 1));
  }

  @Test
  void takesTheWarmUp_whenItHadThatManySamples() {
    assertThat(model(new WarmUp(4, 9 * MS)).predict(4, 1))
        .isEqualTo(Prediction.ofMean(9 * MS, PredictionSource.WARM_UP.text(), 1));
  }

  @Test
  void scalesTheNearestSamples_theFewerOfTwoEquallyNear() {
    ModelTimes model = model(new WarmUp(2, 10 * MS), new WarmUp(6, 60 * MS));
    assertThat(model.predict(5, 1))
        .isEqualTo(Prediction.ofMean(50 * MS, PredictionSource.NEAREST_SAMPLES.text(), 1));
    assertThat(model.predict(4, 1))
        .isEqualTo(Prediction.ofMean(20 * MS, PredictionSource.NEAREST_SAMPLES.text(), 1));
    assertThat(model.predict(2000, 1))
        .isEqualTo(Prediction.ofMean(20_000 * MS, PredictionSource.NEAREST_SAMPLES.text(), 1));
  }

  @Test
  void takesTheRunningMean_onceABatchOfThatManySamplesCompleted() {
    ModelTimes model = model(new WarmUp(4, 9 * MS));
    assertThat(model.meanNs(4, 1)).isEqualTo(9 * MS);
    complete(model, 4, 20 * MS);
    assertThat(model.predict(4, 1))
        .isEqualTo(Prediction.ofMean(20 * MS, PredictionSource.RUNNING_MEAN.text(), 1));
    complete(model, 4, 30 * MS);
    List<CoreEntity> entities = new ArrayList<>();
    times.addTo(entities);
    assertThat(entities)
        .contains(new CoreEntity.RunningMean("cpu", "vit", "pytorch", "fp32", 4, 2, 25.0 * MS));
    assertThat(model.predict(8, 1))
        .isEqualTo(Prediction.ofMean(50 * MS, PredictionSource.NEAREST_SAMPLES.text(), 1));
  }

  @Test
  void keepsDeviceKindsApart() {
    complete(model(new WarmUp(1, MS)), 1, 7 * MS);
    assertThat(times.model("accelerator", new ModelKey("vit", "pytorch", "fp32")).predict(1, 1))
        .isEqualTo(Prediction.ofMean(1, PredictionSource.FLOPS.text(), 1));
  }
}
