package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.Registries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queue that the bench simulates, as an experiment. */
final class BenchQueueTest {
  @Test
  void theExperimentIsOfTheJobsThatTheQueueSays(@TempDir Path folder) throws Exception {
    Experiment fifo = read(BenchQueue.fifo(1_000_000), folder);
    assertThat(fifo.load().durationSeconds() * fifo.load().arrivalRateJobsPerSec())
        .isCloseTo(1_000_000, Offset.offset(1e-3));
    assertThat(fifo.lanes().count()).isEqualTo(BenchQueue.LANES);
  }

  @Test
  void jobsThatMayWaitAreBounded(@TempDir Path folder) throws Exception {
    var queue = new BenchQueue("dynamic", true, 1000, 1.2, 30_000);
    Experiment overloaded = read(queue, folder);
    assertThat(overloaded.scheduling().schedulerName()).isEqualTo("dynamic");
    assertThat(overloaded.scheduling().microbatch().enabled()).isTrue();
    assertThat(overloaded.scheduling().maxWaiting()).isEqualTo(30_000);
  }

  private static Experiment read(BenchQueue queue, Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("queue.yaml"), queue.experiment());
    return ExperimentFile.read(file, List.of(), Registries.vocabulary()).experiment();
  }
}
