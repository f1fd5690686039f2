package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.run.ExperimentRun;
import dev.sluice.harness.run.RunSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whole runs in this process, of about a second, on emulated lanes. The promises are so long that a
 * busy machine cannot make the generators too late for them.
 *
 * @param folder of the experiment file, and of the results
 * @param bootstrap null: each run starts its own broker
 */
public record Loop(Path folder, @Nullable String bootstrap) {
  public static final String EMULATED =
      """
      seed: 7
      duration_seconds: 1
      tail_seconds: 5
      arrival_rate_jobs_per_sec: 100
      interactive_ratio: 0.4
      classes:
        interactive: {slo_ms: 20000}
        batch: {slo_ms: 40000}
      workloads:
      - {name: short, alpha_ms: 2, beta_ms: 0.5, tokens: 50}
      - {name: long, alpha_ms: 6, beta_ms: 1, tokens: 100}
      backends_enabled: [onnx]
      batch_sizes: [1, 2]
      scheduler_name: dynamic
      microbatch: {window_ms: 10, max_batch: 8}
      lanes: {num_lanes: 2, kind: emulated}
      """;

  /** How a run ended. */
  public record Ended(int status, Path folder, String text) {
    /**
     * Holds the run to be whole. A busy machine makes a generator or the scheduler late, or a queue
     * rise: such a run says that it tells nothing of its policy, and still counts each job.
     */
    public Ended assertWhole() {
      assertThat(status).as(text).isIn(ExitStatus.DONE, ExitStatus.INCONCLUSIVE);
      return this;
    }

    public JsonNode summary() throws IOException {
      return new ObjectMapper().readTree(folder.resolve("summary.json").toFile());
    }

    public List<Map<String, String>> rows(String table) throws IOException {
      List<String> lines = Files.readAllLines(folder.resolve(table));
      String[] names = lines.get(0).split(",", -1);
      List<Map<String, String>> rows = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        String[] cells = line.split(",", -1);
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
          row.put(names[i], cells[i]);
        }
        rows.add(row);
      }
      return rows;
    }

    public long count(String status) throws IOException {
      return rows("trace.csv").stream().filter(row -> row.get("status").equals(status)).count();
    }
  }

  public Path results() {
    return folder.resolve("results");
  }

  public Path write(String experiment) throws IOException {
    return Files.writeString(folder.resolve("tiny.yaml"), experiment);
  }

  ExperimentRun prepare(String runId, Screen screen, boolean terminal, String... overrides)
      throws IOException {
    return prepare(runId, screen, terminal, null, overrides);
  }

  /** A run that leaves its topics there, for a test to look at. */
  ExperimentRun prepare(
      String runId,
      Screen screen,
      boolean terminal,
      @Nullable Path kafkaConfig,
      String... overrides)
      throws IOException {
    var options =
        new RunSettings(
            write(EMULATED),
            List.of(overrides),
            new RunSettings.Output(results(), true, false, null),
            bootstrap,
            runId,
            kafkaConfig,
            false,
            false,
            RunSettings.Watching.NOBODY);
    return new ExperimentRun(options, new Console(screen.stream(), terminal));
  }

  public Ended run(String runId, String... overrides) throws Exception {
    var screen = new Screen();
    int status = prepare(runId, screen, false, overrides).execute();
    return new Ended(status, results().resolve(runId), screen.text());
  }

  /** Names in the results folder, but for the link to the latest run. */
  public List<String> left() throws IOException {
    if (!Files.exists(results())) {
      return List.of();
    }
    try (Stream<Path> names = Files.list(results())) {
      return names
          .filter(path -> !RunFolder.isLatest(path))
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList();
    }
  }
}
