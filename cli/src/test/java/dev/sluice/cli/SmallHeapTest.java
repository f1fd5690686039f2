package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A simulation whose rows do not fit into memory, and one whose rows do. */
@Tag("slow")
final class SmallHeapTest {
  private static final String EXPERIMENT =
      """
      duration_seconds: 200
      warmup_seconds: 10
      tail_seconds: 10
      arrival_rate_jobs_per_sec: 5000
      workloads:
        - {name: quick, tokens: 1, alpha_ms: 1, beta_ms: 0.25}
        - {name: slow, tokens: 1, alpha_ms: 4, beta_ms: 0.25}
      backends_enabled: [onnx]
      batch_sizes: [1, 8]
      scheduler_name: dynamic
      lanes: {num_lanes: 16, kind: emulated}
      simulation: {hops: none}
      """;

  @TempDir private Path folder;

  @Test
  void aSentenceSaysThatMemoryIsFull_andNoFolderLooksFinished() throws Exception {
    Path experiment = Files.writeString(folder.resolve("million.yaml"), EXPERIMENT);
    try (var process =
        SluiceProcess.withOptions(List.of("-Xmx128m"), List.of(simulate(experiment, "small")))) {
      assertThat(process.exitStatus()).isEqualTo(ExitStatus.BUG);
      assertThat(process.screen().text())
          .endsWith(
              "sluice: error: the memory that Java may use (128 MiB) is full.\n"
                  + "  Maybe ask for fewer jobs, or give it more: SLUICE_JAVA_OPTS=-Xmx4g\n");
    }
    assertThat(folder.resolve("small/run")).doesNotExist();
    try (var process =
        SluiceProcess.withOptions(List.of("-Xmx500m"), List.of(simulate(experiment, "large")))) {
      assertThat(process.exitStatus()).as(process.screen().text()).isZero();
    }
    assertThat(figures("large").path("all_count").asInt()).isGreaterThan(900_000);
  }

  private String[] simulate(Path experiment, String results) {
    return new String[] {
      "simulate",
      experiment.toString(),
      "--no-trace",
      "--run-id",
      "run",
      "--results",
      folder.resolve(results).toString()
    };
  }

  private ObjectNode figures(String results) throws IOException {
    Path summary = folder.resolve(results).resolve("run").resolve("summary.json");
    var figures = (ObjectNode) new JsonMapper().readTree(summary.toFile());
    return figures.without(List.of("started_at", "ended_at", "command_line", "machine"));
  }
}
