package dev.sluice.harness.simulate;

import dev.sluice.analytics.log.RunRecording;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.DiskSpace;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.role.Conclusion;
import dev.sluice.harness.run.ExperimentRun;
import dev.sluice.harness.run.OfferedLoadLines;
import dev.sluice.harness.run.RepeatedRun;
import dev.sluice.harness.simulate.SimulatedExperiment.LostThresholdException;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** An experiment in virtual time, once or several times, from its file to its finished folder. */
public final class SimulatedRun {
  private final Options options;
  private final Console console;
  private final DiskSpace disk;
  private @Nullable String summaryJson;

  /**
   * Options of a simulation.
   *
   * @param runId id of the run; null: made from the run's name and the time
   * @param profile service times in place of those that the experiment names: a latency table, or a
   *     run's folder; null: none
   * @param output what is left out, and what is added
   * @param repeats number of simulations, each with a seed of its own; null: one, with the
   *     experiment's seed
   */
  public record Options(
      Path config,
      List<String> overrides,
      Path results,
      @Nullable String runId,
      @Nullable Path profile,
      Output output,
      @Nullable Integer repeats) {
    public Options {
      overrides = List.copyOf(overrides);
    }

    ParsedExperiment read(List<String> moreOverrides) throws UserMistakeException {
      List<String> all = new ArrayList<>(overrides);
      all.addAll(moreOverrides);
      return ExperimentFile.read(config, all, Registries.vocabulary());
    }
  }

  /**
   * What a simulation leaves.
   *
   * @param noTrace true if rows and pictures are left out
   * @param log true if there is a recording of what the topics would hold
   * @param note what a person says of the simulation; null: nothing
   */
  public record Output(boolean noTrace, boolean log, @Nullable String note) {}

  public SimulatedRun(Options options, Console console) {
    this.options = options;
    this.console = console;
    this.disk = new DiskSpace(options.results(), console);
  }

  /** Simulates the experiment once or several times, and returns the worst exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    int status;
    try {
      status = simulate();
    } catch (IOException | RuntimeException e) {
      if (!disk.explains(e)) {
        throw e;
      }
      disk.sayFull();
      return ExitStatus.BUG;
    }
    console.result(summaryJson);
    return status;
  }

  /**
   * The override that gives other simulations the rate of an offered load; none if a rate is given.
   */
  public static List<String> rateOf(ParsedExperiment parsed, Options options)
      throws UserMistakeException {
    return parsed.needsRate()
        ? RepeatedRun.rateOf(
            SimulatedExperiment.of(parsed, Profile.read(options.profile())).parsed())
        : List.of();
  }

  private int simulate() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed = options.read(List.of());
    Profile profile = Profile.read(options.profile());
    SimulatedExperiment experiment = SimulatedExperiment.of(parsed, profile);
    String runId =
        options.runId() != null
            ? options.runId()
            : parsed.experiment().runName() + "-simulated-" + MachineClock.stamp();
    Integer repeats = options.repeats();
    try (var folder = RunFolder.create(options.results(), runId);
        var log = LogFile.open(folder.log(), Secrets.NONE)) {
      RunFolder.writeNote(folder.path(), options.output().note());
      announce(experiment, runId);
      long beganNs = MachineClock.monotonicNs();
      try {
        return repeats == null
            ? once(experiment, runId, folder, beganNs)
            : series(experiment.parsed(), runId, repeats, profile, folder, beganNs);
      } catch (LostThresholdException e) {
        String where = repeats == null ? "" : "in one of the repeats, ";
        Conclusion.early(where + e.getMessage(), null, folder, console);
        return ExitStatus.MISSED;
      }
    }
  }

  private int once(SimulatedExperiment experiment, String runId, RunFolder folder, long beganNs)
      throws IOException {
    SimulatedExperiment.Simulated simulated = write(experiment, runId, folder.path());
    console.item(
        "simulated",
        String.format(
            Locale.ROOT,
            "%,d jobs and %,d events up to %.1f s, in %.1f s with all that is written",
            simulated.end().jobs(),
            simulated.end().events(),
            simulated.end().endedAtNs() / 1e9,
            (MachineClock.monotonicNs() - beganNs) / 1e9));
    summaryJson = simulated.report().summary().toJson();
    return Conclusion.of(simulated.report(), folder, console);
  }

  private int series(
      ParsedExperiment parsed,
      String runId,
      int repeats,
      @Nullable Profile profile,
      RunFolder folder,
      long beganNs)
      throws UserMistakeException, IOException, InterruptedException {
    Map<Path, Long> seedByFolder = new LinkedHashMap<>();
    int worst = ExitStatus.DONE;
    ExecutorService threads =
        Executors.newFixedThreadPool(Math.min(repeats, Runtime.getRuntime().availableProcessors()));
    try {
      List<Future<Integer>> running = new ArrayList<>();
      for (int repeat = 1; repeat <= repeats; repeat++) {
        long repeatSeed = RepeatSeeds.of(parsed.experiment().seed(), repeat);
        List<String> own = new ArrayList<>(RepeatedRun.rateOf(parsed));
        own.add("seed=" + repeatSeed);
        String repeatId = runId + "-" + repeat;
        Path path = Files.createDirectory(folder.path().resolve(repeatId));
        seedByFolder.put(path, repeatSeed);
        running.add(
            threads.submit(
                () -> {
                  SimulatedExperiment experiment =
                      SimulatedExperiment.of(options.read(own), profile);
                  return Conclusion.status(write(experiment, repeatId, path).report());
                }));
      }
      List<Path> paths = List.copyOf(seedByFolder.keySet());
      for (int i = 0; i < repeats; i++) {
        int status = running.get(i).get();
        worst = ExitStatus.worst(worst, status);
        if (!ExitStatus.isWhole(status)) {
          Path failed = paths.get(i);
          Files.move(failed, failed.resolveSibling(failed.getFileName() + RunFolder.FAILED));
          console.line("sluice: error: repeat " + (i + 1) + " failed, and with it the whole.");
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UserMistakeException mistake) {
        throw mistake;
      }
      if (e.getCause() instanceof LostThresholdException lost) {
        throw lost;
      }
      throw new IllegalStateException("a simulation failed", e.getCause());
    } finally {
      threads.shutdownNow();
    }
    if (!ExitStatus.isWhole(worst)) {
      console.line("  Maybe the folders say more: " + folder.failedPath());
      return worst;
    }
    double seconds = (MachineClock.monotonicNs() - beganNs) / 1e9;
    console.item("simulated", String.format(Locale.ROOT, "%d times in %.1f s", repeats, seconds));
    summaryJson = Conclusion.ofSeries(seedByFolder, folder, console);
    return worst;
  }

  private void announce(SimulatedExperiment experiment, String runId) throws UserMistakeException {
    ExperimentRun.announce(runId, experiment.parsed(), console);
    console.item("simulated", "nothing runs and nothing waits");
    experiment.notes().forEach(note -> console.item("", note));
    if (!options.output().noTrace()) {
      Integer repeats = options.repeats();
      disk.expect((long) experiment.requests().size() * (repeats == null ? 1 : repeats), false);
    }
    OfferedLoadLines.show(
        experiment.parsed().experiment(),
        experiment.requests(),
        experiment.capabilities(),
        console);
  }

  private SimulatedExperiment.Simulated write(
      SimulatedExperiment experiment, String runId, Path folder) throws IOException {
    Environment environment = experiment.environment();
    SimulatedExperiment.Simulated simulated;
    try (RunRecording recording =
        options.output().log()
            ? new RunRecording(
                folder.resolve(FolderFiles.LOG),
                Conclusion.header(
                    experiment.parsed().experiment(), runId, experiment.started(runId)))
            : null) {
      simulated = experiment.simulate(runId, environment, recording);
      if (recording != null) {
        Conclusion.tellFailure(recording, console);
      }
    }
    if (options.output().noTrace()) {
      simulated.report().writeSummary(folder);
    } else {
      simulated.report().write(folder);
    }
    Conclusion.writeConfig(
        experiment.parsed(),
        simulated.report(),
        environment,
        experiment.requests().digest(),
        folder);
    if (!options.output().noTrace()) {
      Conclusion.writePage(simulated.report(), folder, console);
    }
    return simulated;
  }
}
