package dev.sluice.harness.run;

import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.role.Conclusion;
import dev.sluice.harness.run.ChildRuns.SeriesRun;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Several runs of one experiment, one after the other, each with a seed derived from the
 * experiment's, and in a process of its own, since a JVM that has run once is faster than a fresh
 * one.
 */
public record RepeatedRun(RunSettings options, boolean processes, int repeats, Console console) {
  /**
   * The override that gives other runs the rate of one: what an offered load asks of the lanes is
   * found once in a series. None if the experiment gives a rate.
   */
  public static List<String> rateOf(ParsedExperiment rated) {
    var load = rated.experiment().load();
    return load.offeredLoad() == null
        ? List.of()
        : List.of("arrival_rate_jobs_per_sec=" + Numbers.text(load.arrivalRateJobsPerSec()));
  }

  /** As above, of the run that left a folder. */
  public static List<String> rateOf(Path run) throws UserMistakeException {
    ParsedExperiment parsed =
        ExperimentFile.read(run.resolve(FolderFiles.CONFIG), List.of(), Registries.vocabulary());
    return List.of(
        "arrival_rate_jobs_per_sec="
            + Numbers.text(parsed.experiment().load().arrivalRateJobsPerSec()));
  }

  /** Returns the worst exit status. The first run that fails ends the series. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed = options.check(processes);
    String runId = options.runIdFor(parsed.experiment());
    var children = new ChildRuns(options, processes, console);
    try (var folder = RunFolder.create(options.results(), runId);
        var signals = Signals.listen(children::stop, children::kill)) {
      RunFolder.writeNote(folder.path(), options.output().note());
      Map<Path, Long> seedByFolder = new LinkedHashMap<>();
      List<String> rate = List.of();
      List<String> leftOut = new ArrayList<>();
      int worst = ExitStatus.DONE;
      for (int repeat = 1; repeat <= repeats; repeat++) {
        long seed = RepeatSeeds.of(parsed.experiment().seed(), repeat);
        String repeatId = runId + "-" + repeat;
        Path own = folder.path().resolve(repeatId);
        console.step("Repeat " + repeat + " of " + repeats + ", seed " + seed);
        List<String> overrides = new ArrayList<>(rate);
        overrides.add("seed=" + seed);
        SeriesRun run = children.make(folder.path(), repeatId, overrides, SeriesRun.ATTEMPTS_MAX);
        if (signals.received()) {
          return signals.exitStatus();
        }
        if (run.isFailed()) {
          console.line("Repeat " + repeat + " failed, and with it the whole.");
          return run.status();
        }
        if (run.spoiled().isPresent()) {
          leftOut.add("repeat " + repeat + " (" + run.spoiled().get() + ")");
          SeriesRun.leaveOut(folder.path(), repeatId);
          continue;
        }
        if (!Files.exists(own)) {
          console.line("Repeat " + repeat + " was ended early, and with it the whole.");
          return run.status();
        }
        if (parsed.needsRate() && rate.isEmpty()) {
          rate = rateOf(own);
        }
        worst = ExitStatus.worst(worst, run.status());
        seedByFolder.put(own, seed);
      }
      leftOut.forEach(what -> console.line("Left out: " + what));
      if (seedByFolder.isEmpty()) {
        console.line("No repeat tells anything of its policy, and the series has no figures.");
        return ExitStatus.INCONCLUSIVE;
      }
      console.result(Conclusion.ofSeries(seedByFolder, folder, console));
      return worst;
    }
  }
}
