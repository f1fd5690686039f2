package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.role.AnalyzeRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * A measurement by a whole run: {@code ./sluice run} in a child process with the JVM options of
 * this one, read from the summary that it leaves. The child's output stands beside its results.
 */
final class LoopBench implements Bench {
  /** Longest time of a run. A run that lasts longer is killed, and gives no reading. */
  private static final long LIMIT_SECONDS = 600;

  private final String name;
  private final String config;
  private final Path folder;
  private final List<String> arguments;
  private final Map<Row, ToDoubleFunction<Finished>> readings = new LinkedHashMap<>();
  private List<String> jvmOptions = List.of();
  private int runs;

  /**
   * Results of a run.
   *
   * @param folder folder of the results
   * @param summary the folder's summary.json
   * @param exitedEpochMs end of the process, milliseconds since 1970
   */
  record Finished(Path folder, JsonNode summary, long exitedEpochMs) {
    /** Returns a figure of the summary; NaN: the run has none. */
    double figure(String name) {
      JsonNode value = summary.path(name);
      return value.isNumber() ? value.asDouble() : Double.NaN;
    }

    /** Seconds from the end of the load, which is the run's last record, to the process's exit. */
    double secondsAfterLoad() {
      String loadEnded = summary.path("ended_at").asText();
      return (exitedEpochMs - Instant.parse(loadEnded).toEpochMilli()) / 1e3;
    }
  }

  /**
   * @param config the experiment file's text
   * @param folder where files of the measurement go
   * @param arguments of {@code run}, beside the file
   */
  LoopBench(String name, String config, Path folder, List<String> arguments) {
    this.name = name;
    this.config = config;
    this.folder = folder;
    this.arguments = arguments;
  }

  LoopBench(String name, String config, Path folder) {
    this(name, config, folder, List.of());
  }

  /** Lets the run go on at the limit of the harness, which is what is measured. */
  LoopBench beyondLimit() {
    jvmOptions = List.of("-D" + AnalyzeRole.NO_LIMIT + "=true");
    return this;
  }

  LoopBench reads(Row row, ToDoubleFunction<Finished> reading) {
    readings.put(row, reading);
    return this;
  }

  LoopBench reads(Row row, String figure) {
    return reads(row, run -> run.figure(figure));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Row> rows() {
    return List.copyOf(readings.keySet());
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Finished run = run();
    Map<Row, Double> values = new LinkedHashMap<>();
    readings.forEach((row, reading) -> values.put(row, reading.applyAsDouble(run)));
    return values;
  }

  /** Runs Sluice once. */
  Finished run() throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    Path file = folder.resolve(name + ".yaml");
    Files.writeString(file, config);
    String runId = name + "-" + ++runs;
    List<String> run = new ArrayList<>();
    run.addAll(List.of("run", file.toString()));
    run.addAll(List.of("--results", folder.toString(), "--run-id", runId));
    run.addAll(arguments);
    Path output = folder.resolve(runId + ".out");
    Process child =
        Launch.of(ChildJvm.sluice(jvmOptions, run))
            .errorsToOutput()
            .output(ProcessBuilder.Redirect.to(output.toFile()))
            .start();
    try {
      if (!child.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new MeasurementFailedException(
            "run " + runId + " did not end within " + LIMIT_SECONDS + " s", output);
      }
      long exitedEpochMs = MachineClock.epochMs();
      Path finished = folder.resolve(runId);
      if (!Files.exists(finished)) {
        finished = folder.resolve(runId + ".failed"); // a late generator's readings are readings
      }
      if (!FinishedRun.isFolder(finished)) {
        throw new MeasurementFailedException(
            "run " + runId + " ended with status " + child.exitValue(), output);
      }
      return new Finished(finished, FinishedRun.of(finished).summary(), exitedEpochMs);
    } finally {
      child.destroyForcibly();
    }
  }
}
