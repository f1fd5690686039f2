package dev.sluice.bench;

import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.MemoryOf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A run whose load ends while a million jobs wait: the time from the load's end to the end of the
 * process, with its results written, and the most memory that the process had at any time. No
 * reading counts unless every job has its outcome.
 */
final class BacklogBench implements Bench {
  private static final int WAITING = 1_000_000;
  private static final int RATE_PER_SECOND = 30_000;

  /** A little more than a million jobs, for lanes that can do a few thousand of them meanwhile. */
  private static final int LOAD_SECONDS = 35;

  private static final long LOOK_MS = 250;
  private static final Row END = Row.atMost("backlog_1000000_end_s", "s", 60);
  private static final Row MEMORY = Row.atMost("backlog_1000000_memory_mb", "MB", 2000);

  private static final String LOAD =
      """
      duration_seconds: %d
      warmup_seconds: 0
      tail_seconds: 0
      arrivals: constant
      arrival_rate_jobs_per_sec: %d
      interactive_ratio: 0
      workloads: [{name: slow, tokens: 1, alpha_ms: 1000, beta_ms: 0}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      resources: {enabled: false}
      microbatch: {enabled: false}
      lanes: {kind: emulated, num_lanes: 16}
      """
          .formatted(LOAD_SECONDS, RATE_PER_SECOND);

  private final Path folder;
  private int runs;

  /**
   * @param folder where files of the measurement go
   */
  BacklogBench(Path folder) {
    this.folder = folder;
  }

  @Override
  public String name() {
    return "backlog";
  }

  @Override
  public List<Row> rows() {
    return List.of(END, MEMORY);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    Path file = folder.resolve("backlog.yaml");
    Files.writeString(file, LOAD);
    String runId = "backlog-" + ++runs;
    Path output = folder.resolve(runId + ".out");
    Process child =
        Launch.of(
                ChildJvm.sluice(
                    List.of(),
                    List.of(
                        "run", file.toString(), "--results", folder.toString(), "--run-id", runId)))
            .errorsToOutput()
            .output(ProcessBuilder.Redirect.to(output.toFile()))
            .start();
    try {
      long loadEndedNs = 0;
      long mostBytes = 0;
      while (!child.waitFor(LOOK_MS, TimeUnit.MILLISECONDS)) {
        mostBytes = Math.max(mostBytes, MemoryOf.residentBytes(child.pid()).orElse(0));
        if (loadEndedNs == 0 && Files.readString(output).contains("\ntail ")) {
          loadEndedNs = MachineClock.monotonicNs();
        }
      }
      long endedNs = MachineClock.monotonicNs();
      Path results = folder.resolve(runId);
      if (!Files.exists(results)) {
        results = folder.resolve(runId + ".failed"); // a late generator's readings are readings
      }
      if (!FinishedRun.isFolder(results) || loadEndedNs == 0) {
        throw new MeasurementFailedException("run " + runId + " has no results", output);
      }
      var summary = FinishedRun.of(results).summary();
      long open = summary.path("all_open").asLong(-1);
      long waited = summary.path("queue_max").asLong();
      if (open != 0 || waited < WAITING) {
        throw new MeasurementFailedException(
            "run %s left %d jobs without an end, and at most %d waited"
                .formatted(runId, open, waited),
            output);
      }
      return Map.of(END, (endedNs - loadEndedNs) / 1e9, MEMORY, mostBytes / 1e6);
    } finally {
      child.destroyForcibly();
    }
  }
}
