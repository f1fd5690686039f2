package dev.sluice.harness.run;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.requests.OfferedLoad;
import dev.sluice.producer.requests.RequestList;
import java.util.List;
import java.util.Locale;

/** Lines at a run's beginning about the load that it will offer to its lanes. */
public final class OfferedLoadLines {
  private static final int LINES_SHOWN_MAX = 6;

  private OfferedLoadLines() {}

  /**
   * Prints the load that the run will offer to its lanes.
   *
   * @param capabilities capabilities of each lane, with its times
   */
  public static void show(
      Experiment experiment, RequestList requests, List<Capability> capabilities, Console console) {
    requests.notes().forEach(note -> console.item("requests", note));
    OfferedLoad offered = OfferedLoad.of(experiment, requests, capabilities);
    int lanes = experiment.lanes().count() * experiment.kafka().shards();
    if (experiment.load().scenario() == Scenario.SERVER) {
      overTime(experiment, requests, offered, lanes, console);
    } else {
      console.item(
          "scenario",
          String.format(
              Locale.ROOT,
              "%s: %,d jobs, %s, of %.1f ms each alone, on %d lane%s",
              experiment.load().scenario().key(),
              requests.size(),
              experiment.load().scenario() == Scenario.OFFLINE
                  ? "all at time zero"
                  : "at most, one at a time",
              offered.meanServiceMs(),
              lanes,
              lanes == 1 ? "" : "s"));
    }
    List<String> infeasible = offered.infeasible();
    console.item("infeasible", infeasible.isEmpty() ? "none" : infeasible.get(0));
    infeasible.stream().skip(1).limit(LINES_SHOWN_MAX - 1).forEach(l -> console.item("", l));
    if (infeasible.size() > LINES_SHOWN_MAX) {
      console.item("", "and " + (infeasible.size() - LINES_SHOWN_MAX) + " more");
    }
  }

  private static void overTime(
      Experiment experiment,
      RequestList requests,
      OfferedLoad offered,
      int lanes,
      Console console) {
    console.item(
        "offered load",
        String.format(
            Locale.ROOT,
            "%.2f per lane: %s jobs/s of %.1f ms each alone, on %d lane%s%s",
            offered.perLane(),
            rate(experiment.load(), requests),
            offered.meanServiceMs(),
            lanes,
            lanes == 1 ? "" : "s",
            offered.perLaneMin() < 0.99 * offered.perLane()
                ? String.format(Locale.ROOT, "; at least %.2f in batches", offered.perLaneMin())
                : ""));
    if (offered.perLaneMin() > 1) {
      console.item(
          "",
          String.format(
              Locale.ROOT,
              "warning: hopelessly overloaded, the queue must grow without end;"
                  + " the tail ends the run %s s after the last measured arrival",
              trimmed(experiment.load().tailSeconds())));
    }
  }

  /** The rate that is asked for; of requests from a file, their rate until the window's end. */
  private static String rate(Load load, RequestList requests) {
    if (load.arrivals() instanceof Arrivals.Replayed) {
      int count = requests.countBefore(Math.round(load.durationSeconds() * 1e9));
      return String.format(Locale.ROOT, "%.1f", count / load.durationSeconds());
    }
    return load.shape().equals(LoadShape.even())
        ? trimmed(load.arrivalRateJobsPerSec())
        : String.format(
            Locale.ROOT,
            "a mean of %.4g (load %s)",
            load.askedRateJobsPerSec(),
            load.shape().name());
  }

  private static String trimmed(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
