package dev.sluice.harness.report;

import dev.sluice.analytics.compare.Comparison;
import dev.sluice.analytics.compare.Repeats;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.LiveExperiment;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.run.ChildRuns;
import dev.sluice.harness.run.ChildRuns.SeriesRun;
import dev.sluice.harness.run.RepeatedRun;
import dev.sluice.harness.run.RunSettings;
import dev.sluice.harness.simulate.SimulatedRun;
import dev.sluice.producer.arrivals.RepeatSeeds;
import dev.sluice.producer.requests.OfferedRate;
import dev.sluice.producer.requests.RequestList;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Runs of two settings of one experiment under the same seeds, live or simulated, and their
 * comparison: A is as the file says it, B has what {@code --versus} changes.
 *
 * @param overrides {@code key=value} of both
 * @param changes {@code key=value} of B alone; not empty
 * @param repeats number of seeds
 */
public record VersusRun(
    Path config,
    List<String> overrides,
    List<String> changes,
    int repeats,
    CompareRun.Judging judging,
    Console console) {
  private static final int REPEATS_MIN = 8;
  private static final int ID_DIGITS = 8;

  public VersusRun {
    overrides = List.copyOf(overrides);
    changes = List.copyOf(changes);
  }

  /** Both settings, read and found comparable as far as the experiment tells. */
  private record Settings(ParsedExperiment a, ParsedExperiment b) {}

  private List<String> overridesOfB() {
    List<String> all = new ArrayList<>(overrides);
    all.addAll(changes);
    return all;
  }

  /** Reads both settings, and checks them together before anything runs. */
  private Settings read() throws UserMistakeException {
    ParsedExperiment a = ExperimentFile.read(config, overrides, Registries.vocabulary());
    ParsedExperiment b = ExperimentFile.read(config, overridesOfB(), Registries.vocabulary());
    UserMistakeException.throwIf(
        repeats < REPEATS_MIN,
        "--repeat",
        "the value (" + repeats + ") is below 8, and fewer pairs have no verdict",
        "--repeat 8 will do");
    var jobs = a.experiment().jobs();
    Comparison.checkPrimary(
        judging.primary(),
        jobs.classes().stream().map(c -> c.name()).toList(),
        jobs.workloads().stream().map(w -> w.name()).toList());
    if (!judging.anyway()) {
      refuse("seeds", a.experiment().seed() != b.experiment().seed());
      refuse(
          "kinds of lanes", a.experiment().lanes().emulated() != b.experiment().lanes().emulated());
      refuse(
          "values of lanes.ahead",
          a.experiment().lanes().ahead() != b.experiment().lanes().ahead());
      refuse("requests", !requests(a).equals(requests(b)));
    }
    return new Settings(a, b);
  }

  private static String requests(ParsedExperiment asked) throws UserMistakeException {
    ParsedExperiment parsed = OfferedRate.provisional(asked);
    try (LaneSource lanes = LaneSource.of(parsed)) {
      return RequestList.of(parsed, lanes::isolatedMs).digest();
    }
  }

  private void refuse(String what, boolean differs) throws UserMistakeException {
    UserMistakeException.throwIf(
        differs,
        "--versus",
        "the change (" + String.join(", ", changes) + ") gives the two other " + what,
        "you want to change the policy or a key of it, or --anyway, which each output repeats");
  }

  /** The same command has the same id, so that it goes on; how is what else the runs depend on. */
  private String id(Settings settings, String how) {
    Experiment a = settings.a.experiment();
    String all =
        ResolvedConfig.digest(a) + ResolvedConfig.digest(settings.b.experiment()) + repeats + how;
    return a.runName()
        + "-versus-"
        + Sha256.hex(all.getBytes(StandardCharsets.UTF_8)).substring(0, ID_DIGITS);
  }

  /**
   * Runs each seed under both settings, one after the other, in an order drawn from the seed, so
   * that a machine that grows slower is no setting's fault.
   */
  public int execute(RunSettings options, boolean processes)
      throws UserMistakeException, IOException, InterruptedException {
    Settings settings = read();
    LiveExperiment.withUsableLanes(settings.a());
    LiveExperiment.withUsableLanes(settings.b());
    if (processes) {
      LiveExperiment.withRate(settings.a(), "each role has a process of its own");
    }
    String id = id(settings, processes ? "processes" : "run");
    var children = new ChildRuns(options, processes, console);
    try (var series = VersusSeries.take(options.output().results(), options.runId(), id);
        var signals = Signals.listen(children::stop, children::kill)) {
      RunFolder.writeNote(series.folder(), options.output().note());
      Map<String, Map<Path, Long>> seeds = new LinkedHashMap<>();
      seeds.put(VersusSeries.A, new LinkedHashMap<>());
      seeds.put(VersusSeries.B, new LinkedHashMap<>());
      List<String> rate = List.of();
      Map<String, String> spoiled = new LinkedHashMap<>();
      for (int repeat = 1; repeat <= repeats; repeat++) {
        long seed = RepeatSeeds.of(settings.a().experiment().seed(), repeat);
        List<String> order = new ArrayList<>(seeds.keySet());
        if (RepeatSeeds.swapped(seed)) {
          Collections.reverse(order);
        }
        for (String side : order) {
          String runId = side + "-" + repeat;
          SeriesRun run = measure(series, children, side, runId, seed, rate);
          if (signals.received() || run.isFailed()) {
            console.line(
                (signals.received() ? "Stopped." : "The run " + runId + " failed.")
                    + " What is measured stays: the same command goes on.");
            return signals.received() ? signals.exitStatus() : run.status();
          }
          if (run.spoiled().isPresent() && !(judging.anyway() && series.hasEnded(side, runId))) {
            spoiled.put(runId, run.spoiled().get());
            continue;
          }
          if (!series.hasEnded(side, runId)) {
            console.line("The run " + runId + " was ended early, so that it has no figures.");
            return run.status();
          }
          if (settings.a().needsRate() && rate.isEmpty()) {
            rate = RepeatedRun.rateOf(series.side(side).resolve(runId));
            console.step("Each run has the rate of the first, " + rate.get(0));
          }
          seeds.getOrDefault(side, Map.of()).put(series.side(side).resolve(runId), seed);
        }
      }
      if (!spoiled.isEmpty() && !leaveOut(series, seeds, spoiled)) {
        return ExitStatus.INCONCLUSIVE;
      }
      for (Map.Entry<String, Map<Path, Long>> side : seeds.entrySet()) {
        Repeats.read(side.getValue()).write(series.side(side.getKey()));
      }
      series.whole(VersusSeries.A);
      series.whole(VersusSeries.B);
      return conclude(series);
    }
  }

  /**
   * Leaves out each pair with a run that the machine spoiled, and says so.
   *
   * @param spoiled why, by run
   * @return false if too few pairs are left for a verdict
   */
  private boolean leaveOut(
      VersusSeries series, Map<String, Map<Path, Long>> seeds, Map<String, String> spoiled)
      throws IOException {
    Set<String> pairs = new LinkedHashSet<>();
    spoiled.keySet().forEach(runId -> pairs.add(runId.substring(runId.indexOf('-'))));
    spoiled.forEach((runId, why) -> console.line("Tells nothing: " + runId + " (" + why + ")"));
    if (repeats - pairs.size() < REPEATS_MIN) {
      console.line(
          "Without %s fewer than %d pairs are left, and these have no verdict."
                  .formatted(pairs.size() == 1 ? "its pair" : "their pairs", REPEATS_MIN)
              + " The same command measures these again, or with --anyway compares.");
      return false;
    }
    console.line("Left out: the pairs of these runs");
    for (Map.Entry<String, Map<Path, Long>> side : seeds.entrySet()) {
      for (String pair : pairs) {
        String runId = side.getKey() + pair;
        side.getValue().remove(series.side(side.getKey()).resolve(runId));
        SeriesRun.leaveOut(series.side(side.getKey()), runId);
      }
    }
    return true;
  }

  private SeriesRun measure(
      VersusSeries series,
      ChildRuns children,
      String side,
      String runId,
      long seed,
      List<String> rate)
      throws IOException, InterruptedException {
    if (series.isComparable(side, runId) || (judging.anyway() && series.hasEnded(side, runId))) {
      console.step("Run " + runId + " is measured already");
      return new SeriesRun(ExitStatus.DONE, Optional.empty());
    }
    RunFolder.removeAll(series.side(side), runId); // interrupted, or not to be compared
    console.step("Run " + runId + " of " + repeats + " pairs, seed " + seed);
    List<String> own = new ArrayList<>(rate);
    if (side.equals(VersusSeries.B)) {
      own.addAll(changes);
    }
    own.add("seed=" + seed);
    int attempts = judging.anyway() ? 1 : SeriesRun.ATTEMPTS_MAX;
    return children.make(series.side(side), runId, own, attempts);
  }

  /**
   * Simulates all seeds of one setting, then all of the other. Nothing that changes with time can
   * favor either.
   */
  public int simulate(SimulatedRun.Options options)
      throws UserMistakeException, IOException, InterruptedException {
    Settings settings = read();
    var inEach = new SimulatedRun.Output(options.output().noTrace(), options.output().log(), null);
    String id = id(settings, "simulate" + options.profile() + inEach);
    List<String> rate = SimulatedRun.rateOf(settings.a(), options);
    try (var series = VersusSeries.take(options.results(), options.runId(), id)) {
      RunFolder.writeNote(series.folder(), options.output().note());
      for (String side : List.of(VersusSeries.A, VersusSeries.B)) {
        if (series.isWhole(side)) {
          continue;
        }
        RunFolder.removeAll(series.folder(), side);
        console.step("Simulating " + repeats + " seeds of " + side.toUpperCase(Locale.ROOT));
        int status = simulate(series, side, options, rate, inEach);
        if (!ExitStatus.isWhole(status)) {
          console.line("The simulations failed. Maybe their folders say more: " + series.folder());
          return status;
        }
      }
      return conclude(series);
    }
  }

  private int simulate(
      VersusSeries series,
      String side,
      SimulatedRun.Options options,
      List<String> rate,
      SimulatedRun.Output output)
      throws UserMistakeException, IOException, InterruptedException {
    List<String> all = new ArrayList<>(side.equals(VersusSeries.B) ? overridesOfB() : overrides);
    all.addAll(rate);
    var silent =
        new Console(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8), false);
    return new SimulatedRun(
            new SimulatedRun.Options(
                options.config(), all, series.folder(), side, options.profile(), output, repeats),
            silent)
        .execute();
  }

  private int conclude(VersusSeries series) throws UserMistakeException, IOException {
    Path finished = series.finish(console);
    return CompareRun.conclude(
        CompareRun.sides(finished.resolve(VersusSeries.A), finished.resolve(VersusSeries.B)),
        Map.of(),
        "as the file says" + (overrides.isEmpty() ? "" : ", " + String.join(", ", overrides)),
        "with " + String.join(", ", changes),
        judging,
        finished.resolve("comparison.html"),
        console);
  }
}
