package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.Emulation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Service times of simulated lanes that a table of predictions gives. */
final class SimulatedTimesTest {
  private static final ModelKey MODEL = new ModelKey("resnet18", "onnx", "fp32");

  private static Work batch(int samples, int attempt) {
    return new Work(MODEL, List.of(new DispatchedJob("job-7", samples)), samples, 0, attempt);
  }

  private final SimulatedTimes times =
      SimulatedTimes.of(
          new PredictionsPublished(
              "e",
              "cpu",
              "table-1",
              1,
              List.of(new Service(MODEL, List.of(List.of(100L, 150L), List.of(180L, 260L)))),
              List.of(new Calibration("resnet18", "onnx", List.of(-0.5, 0.0, 0.5)))),
          42,
          3);

  @Test
  void areReadBySamplesAndBusyLanes_theLastOfTheTableForMore() {
    assertThat(times.nsByBusyLanes(batch(1, 1))).containsExactly(100, 180, 180);
    assertThat(times.nsByBusyLanes(batch(2, 1))).containsExactly(150, 260, 260);
  }

  /** A batch that is tried again takes a time of its own: that of seed, first job and attempt. */
  @Test
  void eachAttemptIsOffByADrawOfItsOwn() {
    for (int attempt = 1; attempt <= 3; attempt++) {
      double drawn = Emulation.uniform(42, "job-7", attempt);
      assertThat(times.factor(MODEL, 1).of(batch(1, attempt), 0))
          .isEqualTo(StrictMath.exp(drawn < 0.5 ? -0.5 + drawn : 0.0 + (2 * drawn - 1) * 0.5));
    }
    assertThat(times.factor(MODEL, 1).of(batch(1, 2), 0))
        .isNotEqualTo(times.factor(MODEL, 1).of(batch(1, 1), 0));
  }
}
