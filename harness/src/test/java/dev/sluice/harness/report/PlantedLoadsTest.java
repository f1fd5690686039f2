package dev.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.harness.simulate.SimulatedFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A simulated run whose lanes load models passes; faults planted in its loads are found. */
final class PlantedLoadsTest {
  private static final int EVICTED = 10;
  private static final int LOADED = 9;
  private static final String EXPERIMENT =
      """
      run_name: loads
      duration_seconds: 3
      warmup_seconds: 0
      arrival_rate_jobs_per_sec: 60
      classes:
        interactive: {slo_ms: 100}
        batch: {slo_ms: 400}
      workloads:
        - {synthetic: 5, zipf: 1, alpha_ms: 6, beta_ms: 2, tokens: 30, load_ms: 9, memory_mb: 100}
      backends_enabled: [onnx]
      precision_modes: [fp32]
      batch_sizes: [1]
      scheduler_name: %s
      lanes: {num_lanes: 2, kind: emulated, memory_mb: 250}
      simulation: {hops: none}
      """;

  @TempDir private Path root;
  private Path folder = Path.of("");

  @BeforeEach
  void simulate() throws Exception {
    folder = simulated("clockwork");
  }

  private Path simulated(String policy) throws Exception {
    Path config = Files.writeString(root.resolve("loads.yaml"), EXPERIMENT.formatted(policy));
    Path to = root.resolve(policy);
    SimulatedFolder.write(config, to);
    return to;
  }

  private static List<Long> looked(CheckReport report) {
    return List.of(report.looked().get(Rule.MEMORY), report.looked().get(Rule.RESIDENT));
  }

  @Test
  void theSoundRunPasses_byPolicyAndByCore() throws Exception {
    for (Path run : List.of(folder, simulated("fifo"))) {
      CheckReport report = RunCheck.of(run);
      assertThat(report.faults()).isEmpty();
      assertThat(looked(report)).allMatch(count -> count > 20);
    }
  }

  @Test
  void aLoadThatIsMissing_leavesItsBatchesWithoutAModel() throws Exception {
    edit(lines -> lines.subList(0, 3));
    assertThat(RunCheck.of(folder).faultCounts()).containsOnlyKeys(Rule.RESIDENT);
  }

  @Test
  void aLoadThatEndsAfterItsBatchBegan_isFound() throws Exception {
    edit(
        lines -> {
          String[] cells = lines.get(1).split(",", -1);
          cells[LOADED] = cells[EVICTED].isEmpty() ? "2.9" : cells[EVICTED];
          return with(lines, 1, cells);
        });
    assertThat(RunCheck.of(folder).faultCounts()).containsOnlyKeys(Rule.RESIDENT);
  }

  @Test
  void aModelThatStays_leavesNoRoomForTheNext() throws Exception {
    edit(
        lines -> {
          String[] cells = lines.get(1).split(",", -1);
          assertThat(cells[EVICTED]).as("the first model was never released").isNotEmpty();
          cells[EVICTED] = "";
          return with(lines, 1, cells);
        });
    assertThat(RunCheck.of(folder).faultCounts()).containsOnlyKeys(Rule.MEMORY);
  }

  private static List<String> with(List<String> lines, int place, String[] cells) {
    List<String> edited = new ArrayList<>(lines);
    edited.set(place, String.join(",", Arrays.asList(cells)));
    return edited;
  }

  private void edit(UnaryOperator<List<String>> edit) throws Exception {
    Path file = folder.resolve(FolderFiles.LOADS);
    Files.write(file, edit.apply(Files.readAllLines(file)));
  }
}
