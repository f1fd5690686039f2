package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.Bench.Row;
import dev.sluice.sweep.queue.TaskState;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the benches of queues read, and what they make of it. */
final class SweepBenchTest {
  @TempDir private Path folder;

  private static Map<String, Double> byName(Map<Row, Double> readings) {
    return readings.entrySet().stream()
        .collect(Collectors.toMap(one -> one.getKey().name(), Map.Entry::getValue));
  }

  @Test
  void countsATaskThatRanTwice_byWhetherItWasDone_andOneThatIsNotThere() {
    List<String> ran = List.of("b x", "b y", "b y", "e x", "b x", "e x", "e y");
    assertThat(byName(new SweepKillsBench(folder, 1, 0).counted(ran, List.<TaskState>of())))
        .containsEntry("sweep_kills_doubled", 1.0)
        .containsEntry("sweep_kills_run_after_done", 1.0)
        .containsEntry("sweep_kills_lost", 1.0);
  }
}
