package dev.sluice.harness.run;

import dev.sluice.analytics.compare.Repeats;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Several runs of one experiment, one after the other, each with a seed derived from the
 * experiment's. Each run is a process of its own, since a JVM that has run once before is faster
 * than a fresh one. The folder holds the runs' folders and the figures over all runs.
 */
public final class RepeatedRun {
  private final RunSettings options;
  private final boolean processes;
  private final int repeats;
  private final Console console;
  private volatile @Nullable Process running;
  private volatile boolean stopRequested;
  private @Nullable String summaryJson;

  /**
   * @param processes true if each role of each run is a process of its own
   * @param repeats number of runs, at least 1
   */
  public RepeatedRun(RunSettings options, boolean processes, int repeats, Console console) {
    this.options = options;
    this.processes = processes;
    this.repeats = repeats;
    this.console = console;
  }

  /**
   * Runs the experiment repeatedly, and returns the worst exit status. The first run that fails
   * ends the series.
   */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    int status = runAll();
    console.result(summaryJson);
    return status;
  }

  private int runAll() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed = options.read();
    options.externalKafka(parsed);
    LaneSource.of(parsed).close();
    String runId = options.runIdFor(parsed.experiment());
    try (var folder = RunFolder.create(options.results(), runId);
        var signals = Signals.listen(this::stop, this::killRunning)) {
      Map<Path, Long> seedByFolder = new LinkedHashMap<>();
      int worst = ExitStatus.DONE;
      for (int repeat = 1; repeat <= repeats; repeat++) {
        long seed = RepeatSeeds.of(parsed.experiment().seed(), repeat);
        String repeatId = runId + "-" + repeat;
        console.line("Repeat " + repeat + " of " + repeats + ", seed " + seed);
        int status = run(folder.path(), repeatId, seed);
        if (signals.received()) {
          return signals.exitStatus();
        }
        if (!ExitStatus.isWhole(status)) {
          console.line("Repeat " + repeat + " failed, and with it the whole.");
          return status;
        }
        if (!Files.exists(folder.path().resolve(repeatId))) {
          console.line("A threshold ended repeat " + repeat + " early, and with it the whole.");
          return status;
        }
        worst = ExitStatus.worst(worst, status);
        seedByFolder.put(folder.path().resolve(repeatId), seed);
      }
      Repeats all = Repeats.read(seedByFolder);
      all.write(folder.path());
      summaryJson = all.toJson();
      Path finished = folder.finish();
      console.line("");
      console.line(all.render().stripTrailing());
      if (!all.notComparable().isEmpty()) {
        console.line("not comparable " + String.join(", ", all.notComparable()));
      }
      console.line("");
      console.line("Folder    " + finished);
      return worst;
    }
  }

  private int run(Path results, String runId, long seed) throws IOException, InterruptedException {
    boolean json = console.hasResults();
    Process child =
        Launch.of(ChildJvm.sluice(List.of(), arguments(results, runId, seed, json)))
            .output(json ? Redirect.DISCARD : Redirect.INHERIT)
            .errors(Redirect.INHERIT)
            .start();
    running = child;
    if (stopRequested) {
      stop(); // the wish came before there was a child to stop
    }
    return child.waitFor();
  }

  private List<String> arguments(Path results, String runId, long seed, boolean json) {
    List<String> arguments = new ArrayList<>(List.of("run", options.config().toString()));
    for (String override : options.overrides()) {
      arguments.addAll(List.of("--set", override));
    }
    arguments.addAll(List.of("--set", "seed=" + seed));
    arguments.addAll(List.of("--results", results.toString(), "--run-id", runId, "--child"));
    if (options.bootstrap() != null) {
      arguments.addAll(List.of("--bootstrap", options.bootstrap()));
    }
    if (options.kafkaConfig() != null) {
      arguments.addAll(List.of("--kafka-config", options.kafkaConfig().toString()));
    }
    if (options.output().keepTopics()) {
      arguments.add("--keep-topics");
    }
    if (options.output().noLog()) {
      arguments.add("--no-log");
    }
    arguments.addAll(options.watching().metrics().arguments());
    if (processes) {
      arguments.add("--processes");
    }
    if (json) {
      arguments.add("--json"); // what people read goes to standard error
    }
    return arguments;
  }

  private void stop() {
    stopRequested = true;
    Process child = running;
    if (child != null) {
      child.destroy();
    }
  }

  private void killRunning() {
    Process child = running;
    if (child != null) {
      child.descendants().forEach(ProcessHandle::destroyForcibly);
      child.destroyForcibly();
    }
  }
}
