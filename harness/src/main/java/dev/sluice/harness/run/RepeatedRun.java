package dev.sluice.harness.run;

import dev.sluice.analytics.compare.Repeats;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  private final ChildRuns children;
  private final int repeats;
  private final Console console;
  private @Nullable String summaryJson;

  /**
   * @param processes true if each role of each run is a process of its own
   * @param repeats number of runs, at least 1
   */
  public RepeatedRun(RunSettings options, boolean processes, int repeats, Console console) {
    this.options = options;
    this.children = new ChildRuns(options, processes, console);
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
        var signals = Signals.listen(children::stop, children::kill)) {
      Map<Path, Long> seedByFolder = new LinkedHashMap<>();
      int worst = ExitStatus.DONE;
      for (int repeat = 1; repeat <= repeats; repeat++) {
        long seed = RepeatSeeds.of(parsed.experiment().seed(), repeat);
        String repeatId = runId + "-" + repeat;
        console.line("Repeat " + repeat + " of " + repeats + ", seed " + seed);
        int status = children.run(folder.path(), repeatId, List.of("seed=" + seed));
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
}
