package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How many facts a second {@code ./sluice replay --decisions} takes in, from its start to its end,
 * of the log of a simulation of about 600,000 jobs. A decision that is another than the recorded
 * one makes the reading 0.
 */
public final class DecisionReplayBench implements Bench {
  private static final Row FACTS = Row.atLeast("replay_decisions_facts_per_s", "facts/s", 200_000);
  private static final double NS_PER_SECOND = 1e9;

  private static final String EXPERIMENT =
      """
      duration_seconds: 1200
      tail_seconds: 0
      arrival_rate_jobs_per_sec: 500
      workloads:
      - {name: short, alpha_ms: 4, beta_ms: 0.5, tokens: 50}
      - {name: long, alpha_ms: 20, beta_ms: 1, tokens: 100}
      backends_enabled: [onnx]
      batch_sizes: [1, 4]
      scheduler_name: dynamic
      lanes: {kind: emulated, num_lanes: 16}
      """;

  private final Path folder;
  private final LongSupplier nanoTime;

  public DecisionReplayBench(Path folder, LongSupplier nanoTime) {
    this.folder = folder;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "replay-decisions";
  }

  @Override
  public List<Row> rows() {
    return List.of(FACTS);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(Files.createDirectories(folder), name());
    try {
      Path experiment = Files.writeString(own.resolve("experiment.yaml"), EXPERIMENT);
      String unused =
          ChildJvm.printed(
              List.of(),
              ChildJvm.SLUICE,
              List.of(
                  "simulate",
                  experiment.toString(),
                  "--log",
                  "--no-trace",
                  "--results",
                  own.toString(),
                  "--run-id",
                  "simulated"),
              "the simulation whose decisions are made again");
      return Map.of(FACTS, factsPerSecond(own.resolve("simulated")));
    } finally {
      TemporaryFolder.remove(own);
    }
  }

  private double factsPerSecond(Path run) throws IOException, InterruptedException {
    long beginNs = nanoTime.getAsLong();
    String report =
        ChildJvm.printed(
            ChildJvm.launchedParallel(),
            ChildJvm.SLUICE,
            List.of("replay", "--decisions", run.toString(), "--json"),
            "a replay of equal decisions");
    double seconds = (nanoTime.getAsLong() - beginNs) / NS_PER_SECOND;
    JsonNode json = new JsonMapper().readTree(report);
    return json.path("others").asLong(-1) == 0 ? json.path("facts").asLong() / seconds : 0;
  }
}
