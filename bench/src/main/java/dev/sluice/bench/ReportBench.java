package dev.sluice.bench;

import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.MemoryOf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The report of a live run of 100,000 jobs: the time from the end of the load, which is the run's
 * last record, to the end of the process with all of its files, and the memory that the process has
 * meanwhile beyond that at the load's end.
 */
final class ReportBench implements Bench {
  private static final int JOBS = 100_000;
  private static final long LOOK_MS = 100;
  private static final Row END = Row.atMost("report_100000_s", "s", 3);
  private static final Row MEMORY = Row.atMost("report_100000_memory_more_mb", "MB", 300);

  private final String config;
  private final Path folder;
  private int runs;

  /**
   * @param config the text of an experiment of 100,000 jobs
   * @param folder where files of the measurement go
   */
  ReportBench(String config, Path folder) {
    this.config = config;
    this.folder = folder;
  }

  @Override
  public String name() {
    return "report";
  }

  @Override
  public List<Row> rows() {
    return List.of(END, MEMORY);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    Path file = folder.resolve("report.yaml");
    Files.writeString(file, config);
    String runId = "report-" + ++runs;
    Path output = folder.resolve(runId + ".out");
    List<String> arguments =
        List.of("run", file.toString(), "--results", folder.toString(), "--run-id", runId);
    Process child =
        Launch.of(ChildJvm.sluice(List.of(), arguments))
            .errorsToOutput()
            .output(ProcessBuilder.Redirect.to(output.toFile()))
            .start();
    try {
      TreeMap<Long, Long> bytesByEpochMs = new TreeMap<>();
      while (!child.waitFor(LOOK_MS, TimeUnit.MILLISECONDS)) {
        MemoryOf.residentBytes(child.pid())
            .ifPresent(bytes -> bytesByEpochMs.put(MachineClock.epochMs(), bytes));
      }
      long exitedEpochMs = MachineClock.epochMs();
      Path finished = folder.resolve(runId);
      if (!FinishedRun.isFolder(finished)) {
        throw new MeasurementFailedException("run " + runId + " has no results", output);
      }
      var summary = FinishedRun.of(finished).summary();
      long done = summary.path("all_done").asLong();
      long loadEndedEpochMs = Instant.parse(summary.path("ended_at").asText()).toEpochMilli();
      Map.Entry<Long, Long> before = bytesByEpochMs.floorEntry(loadEndedEpochMs);
      if (done < JOBS || before == null) {
        throw new MeasurementFailedException(
            "run %s did %d jobs, or ended too soon".formatted(runId, done), output);
      }
      long mostBytes =
          bytesByEpochMs.tailMap(before.getKey()).values().stream()
              .mapToLong(Long::longValue)
              .max()
              .orElseThrow();
      return Map.of(
          END,
          (exitedEpochMs - loadEndedEpochMs) / 1e3,
          MEMORY,
          (mostBytes - before.getValue()) / 1e6);
    } finally {
      child.destroyForcibly();
    }
  }
}
