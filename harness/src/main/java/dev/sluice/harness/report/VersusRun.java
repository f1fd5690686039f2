package dev.sluice.harness.report;

import dev.sluice.analytics.compare.Repeats;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.run.ChildRuns;
import dev.sluice.harness.run.RunSettings;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Live runs of two settings: each seed under both, one after the other, in an order drawn from the
 * seed, so that a machine that grows slower is no setting's fault.
 */
public final class VersusRun {
  private final Versus versus;
  private final RunSettings options;
  private final boolean processes;
  private final Console console;

  /**
   * @param processes true if each role of each run is a process of its own
   */
  public VersusRun(Versus versus, RunSettings options, boolean processes, Console console) {
    this.versus = versus;
    this.options = options;
    this.processes = processes;
    this.console = console;
  }

  /** Runs what is missing of the series, compares, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    Versus.Settings settings = versus.read();
    String id = versus.id(settings, processes ? "processes" : "run");
    var children = new ChildRuns(options, processes, console);
    try (var series = VersusSeries.take(options.output().results(), options.runId(), id);
        var signals = Signals.listen(children::stop, children::kill)) {
      Map<String, Map<Path, Long>> seeds = new LinkedHashMap<>();
      seeds.put(VersusSeries.A, new LinkedHashMap<>());
      seeds.put(VersusSeries.B, new LinkedHashMap<>());
      List<String> disturbed = new ArrayList<>();
      for (int repeat = 1; repeat <= versus.repeats(); repeat++) {
        long seed = RepeatSeeds.of(settings.a().experiment().seed(), repeat);
        for (String side : order(seed)) {
          String runId = side + "-" + repeat;
          int status = measure(series, children, side, runId, seed);
          if (signals.received() || !ExitStatus.isWhole(status)) {
            console.line(
                (signals.received() ? "Stopped." : "The run " + runId + " failed.")
                    + " What is measured stays: the same command goes on.");
            return signals.received() ? signals.exitStatus() : status;
          }
          if (!series.hasEnded(side, runId)) {
            console.line(
                "A threshold ended the run " + runId + " early, so that it has no figures.");
            return status;
          }
          if (!series.isComparable(side, runId)) {
            disturbed.add(runId);
          }
          seeds.getOrDefault(side, Map.of()).put(series.side(side).resolve(runId), seed);
        }
      }
      if (!disturbed.isEmpty() && !versus.judging().anyway()) {
        console.line(
            "Not comparable: %s. The same command measures these again, or with --anyway compares."
                .formatted(String.join(", ", disturbed)));
        return ExitStatus.INCONCLUSIVE;
      }
      for (Map.Entry<String, Map<Path, Long>> side : seeds.entrySet()) {
        Repeats.read(side.getValue()).write(series.side(side.getKey()));
      }
      series.whole(VersusSeries.A);
      series.whole(VersusSeries.B);
      return series.conclude(versus, console);
    }
  }

  private static List<String> order(long seed) {
    return RepeatSeeds.swapped(seed)
        ? List.of(VersusSeries.B, VersusSeries.A)
        : List.of(VersusSeries.A, VersusSeries.B);
  }

  private int measure(VersusSeries series, ChildRuns children, String side, String runId, long seed)
      throws IOException, InterruptedException {
    if (series.isComparable(side, runId)
        || (versus.judging().anyway() && series.hasEnded(side, runId))) {
      console.line("Run " + runId + " is measured already");
      return ExitStatus.DONE;
    }
    series.remove(side, runId);
    console.line("Run " + runId + " of " + versus.repeats() + " pairs, seed " + seed);
    List<String> overrides = new ArrayList<>();
    if (side.equals(VersusSeries.B)) {
      overrides.addAll(versus.changes());
    }
    overrides.add("seed=" + seed);
    return children.run(series.side(side), runId, overrides);
  }
}
