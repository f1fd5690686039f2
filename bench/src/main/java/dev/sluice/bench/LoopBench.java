package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
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
  private final String name;
  private final String config;
  private final Path folder;
  private final List<String> jvmOptions;
  private final Map<Row, ToDoubleFunction<Finished>> readings = new LinkedHashMap<>();
  private final List<String> arguments;
  private int runs;

  private static final long LOOK_MS = 200;

  /** Folder and summary that a run left, and the processor time that its process took. */
  record Finished(Path folder, JsonNode summary, ProcessorTime processorTime) {
    double figure(String name) {
      JsonNode value = summary.path(name);
      return value.isNumber() ? value.asDouble() : Double.NaN;
    }

    /** Processor time of the whole process for a job that ends within the window, microseconds. */
    double processorUsPerJob(Benches.Window window) {
      double fromMs =
          Instant.parse(summary.path("started_at").asText()).toEpochMilli()
              + window.warmUpSeconds() * 1e3;
      double ns = processorTime.nsBetween(fromMs, fromMs + window.seconds() * 1e3);
      return ns / 1e3 / (figure("overall_throughput_jobs_sec") * window.seconds());
    }
  }

  /**
   * @param config the experiment file's text
   * @param folder where files of the measurement go
   * @param jvmOptions beside those of this process
   * @param arguments of {@code run}, beside the file
   */
  LoopBench(
      String name, String config, Path folder, List<String> jvmOptions, List<String> arguments) {
    this.name = name;
    this.config = config;
    this.folder = folder;
    this.jvmOptions = jvmOptions;
    this.arguments = arguments;
  }

  LoopBench(String name, String config, Path folder) {
    this(name, config, folder, List.of(), List.of());
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
      var processorTime = new ProcessorTime(child.toHandle());
      while (!child.waitFor(LOOK_MS, TimeUnit.MILLISECONDS)) {
        processorTime.look();
      }
      int status = child.exitValue();
      Path finished = folder.resolve(runId);
      if (!Files.exists(finished)) {
        finished = folder.resolve(runId + ".failed"); // a late generator's readings are readings
      }
      if (!FinishedRun.isFolder(finished)) {
        throw new MeasurementFailedException(
            "run " + runId + " ended with status " + status, output);
      }
      return new Finished(finished, FinishedRun.of(finished).summary(), processorTime);
    } finally {
      child.destroyForcibly();
    }
  }
}
