package dev.sluice.harness.run;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.Numbers;
import dev.sluice.harness.machine.Console;
import dev.sluice.producer.requests.OfferedLoad;
import dev.sluice.producer.requests.RequestList;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;

/** Lines at a run's beginning about the load that it will offer to its lanes. */
public final class OfferedLoadLines {
  private static final int LINES_SHOWN_MAX = 6;

  private OfferedLoadLines() {}

  public static void show(
      Experiment experiment, RequestList requests, List<Capability> capabilities, Console console) {
    requests.notes().forEach(note -> console.item("requests", note));
    OfferedLoad offered = OfferedLoad.of(experiment, requests, capabilities);
    int lanes = experiment.lanes().count() * experiment.kafka().shards();
    if (experiment.load().scenario() == Scenario.SERVER) {
      overTime(experiment, offered, lanes, console);
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
      Experiment experiment, OfferedLoad offered, int lanes, Console console) {
    console.item(
        "offered load",
        String.format(
            Locale.ROOT,
            "%s per lane: %s jobs/s%s of %s ms each alone, on %d lane%s%s",
            digits(offered.perLane()),
            digits(offered.jobsPerSecond()),
            asked(experiment.load()),
            digits(offered.meanServiceMs()),
            lanes,
            lanes == 1 ? "" : "s",
            offered.perLaneMin() < 0.99 * offered.perLane()
                ? "; at least " + digits(offered.perLaneMin()) + " in batches"
                : ""));
    if (offered.perLaneMin() > 1) {
      console.item(
          "",
          String.format(
              Locale.ROOT,
              "warning: hopelessly overloaded, the queue must grow without end;"
                  + " the tail ends the run %s s after the last measured arrival",
              Numbers.text(experiment.load().tailSeconds())));
    }
  }

  /** The rate that the file asks for; requests from a file ask for none. */
  private static String asked(Load load) {
    if (load.arrivals() instanceof Replay) {
      return "";
    }
    String share =
        load.offeredLoad() == null ? "" : ", for offered_load " + Numbers.text(load.offeredLoad());
    return load.shape().equals(LoadShape.even())
        ? " (" + Numbers.text(load.arrivalRateJobsPerSec()) + " asked" + share + ")"
        : " (a mean of "
            + digits(load.askedRateJobsPerSec())
            + " asked"
            + share
            + ", load "
            + load.shape().name()
            + ")";
  }

  /** Three digits, or all before the point. */
  private static String digits(double number) {
    var rounded = new BigDecimal(number).round(new MathContext(3));
    return rounded.setScale(Math.max(0, rounded.scale()), RoundingMode.UNNECESSARY).toPlainString();
  }
}
