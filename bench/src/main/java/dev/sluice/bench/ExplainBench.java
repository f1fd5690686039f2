package dev.sluice.bench;

import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How long {@code ./sluice explain} takes, from its start to its end, to explain the last of about
 * 100,000 jobs of a simulated run: all facts before it are applied again.
 */
public final class ExplainBench implements Bench {
  private static final Row EXPLAIN = Row.atMost("explain_100k_jobs_s", "s", 4);
  private static final String EXPERIMENT =
      """
      duration_seconds: 203
      warmup_seconds: 3
      arrival_rate_jobs_per_sec: 500
      classes:
        interactive: {slo_ms: 100}
        batch: {slo_ms: 1000}
      workloads:
      - {name: short, alpha_ms: 4, beta_ms: 1, tokens: 50}
      - {name: long, alpha_ms: 12, beta_ms: 2, tokens: 100}
      backends_enabled: [onnx]
      batch_sizes: [1, 2]
      scheduler_name: dynamic
      microbatch: {window_ms: 10, max_batch: 8}
      lanes: {kind: emulated, num_lanes: 8}
      """;
  private static final String LAST_JOB = "job-99999";
  private static final double NS_PER_SECOND = 1e9;

  private final Path folder;
  private final LongSupplier nanoTime;

  public ExplainBench(Path folder, LongSupplier nanoTime) {
    this.folder = folder;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "explain";
  }

  @Override
  public List<Row> rows() {
    return List.of(EXPLAIN);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(Files.createDirectories(folder), name());
    try {
      Path config = Files.writeString(own.resolve("explain.yaml"), EXPERIMENT);
      String unused =
          sluice(
              "simulate",
              config.toString(),
              "--log",
              "--run-id",
              "run",
              "--results",
              own.toString());
      long beginNs = nanoTime.getAsLong();
      String printed = sluice("explain", own.resolve("run").toString(), LAST_JOB);
      double seconds = (nanoTime.getAsLong() - beginNs) / NS_PER_SECOND;
      if (!printed.startsWith(LAST_JOB + "  ")) {
        throw new IOException("the explanation is none: " + printed);
      }
      return Map.of(EXPLAIN, seconds);
    } finally {
      TemporaryFolder.remove(own);
    }
  }

  private static String sluice(String... arguments) throws IOException, InterruptedException {
    return ChildJvm.printed(
        ChildJvm.launchedSerial(),
        ChildJvm.SLUICE,
        List.of(arguments),
        String.join(" ", arguments));
  }
}
