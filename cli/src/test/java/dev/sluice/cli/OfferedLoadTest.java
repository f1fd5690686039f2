package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.Registries;
import dev.sluice.producer.requests.OfferedLoad;
import dev.sluice.producer.requests.RequestList;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked of the lanes, reckoned from warm-up times made up here. */
final class OfferedLoadTest {
  private static final long MS = 1_000_000;

  /** At 300 a second, the first after one gap, and none at the very end. */
  private static final int SENT = 299;

  @TempDir private Path folder;

  @Test
  void isServiceTimeAskedForByLaneAndSecond() throws Exception {
    OfferedLoad load = load(List.of(new WarmUp(1, 10 * MS), new WarmUp(8, 80 * MS)));
    assertThat(load.meanServiceMs()).isEqualTo(10, within(1e-9));
    assertThat(load.perLane()).isEqualTo(SENT * 10e-3 / 2, within(1e-9));
    assertThat(load.perLaneMin())
        .as("batches save nothing")
        .isEqualTo(SENT * 10e-3 / 2, within(1e-9));
    assertThat(load.infeasible()).isEmpty();
  }

  @Test
  void isLess_whenBatchesAreCheaper_butNotForJobsThatShareNone() throws Exception {
    List<WarmUp> cheap = List.of(new WarmUp(1, 10 * MS), new WarmUp(8, 16 * MS));
    assertThat(load(cheap, "interactive_ratio=0").perLaneMin())
        .isEqualTo(SENT * 2e-3 / 2, within(1e-9));
    assertThat(load(cheap, "interactive_ratio=1").perLaneMin())
        .isEqualTo(SENT * 10e-3 / 2, within(1e-9));
    assertThat(load(cheap, "interactive_ratio=0", "scheduler_name=fifo").perLaneMin())
        .as("fifo joins none")
        .isEqualTo(SENT * 10e-3 / 2, within(1e-9));
  }

  @Test
  void takesTheNearestSamplesScaled() throws Exception {
    List<WarmUp> warmUps = List.of(new WarmUp(1, 10 * MS), new WarmUp(8, 40 * MS));
    assertThat(load(warmUps, "batch_sizes=[6]").meanServiceMs()).isEqualTo(30, within(1e-9));
  }

  @Test
  void namesEachClassAndWorkloadOnce_thatCannotMeetItsPromise() throws Exception {
    assertThat(load(List.of(new WarmUp(1, 30_000 * MS))).infeasible())
        .containsExactlyInAnyOrder(
            "interactive × short on onnx takes 30000 ms at 1 sample, its SLO is 20000 ms",
            "interactive × long on onnx takes 30000 ms at 1 sample, its SLO is 20000 ms");
  }

  private OfferedLoad load(List<WarmUp> warmUps, String... overrides) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "arrivals=constant",
                "arrival_rate_jobs_per_sec=300",
                "tail_seconds=0",
                "batch_sizes=[1]"));
    all.addAll(List.of(overrides));
    Path file = new Loop(folder, null).write(Loop.EMULATED);
    Experiment experiment = ExperimentFile.read(file, all, Registries.vocabulary()).experiment();
    return OfferedLoad.of(
        experiment,
        RequestList.draw(experiment),
        List.of(
            new Capability("short", "onnx", "fp32", 1, warmUps),
            new Capability("long", "onnx", "fp32", 1, warmUps)));
  }
}
