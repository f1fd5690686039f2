package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import org.jspecify.annotations.Nullable;

/** The keys of the load, which stand at the top of the file. */
final class LoadReader {
  private static final double NS_PER_SECOND = 1e9;

  private final Problems problems;
  private final Vocabulary vocabulary;

  LoadReader(Problems problems, Vocabulary vocabulary) {
    this.problems = problems;
    this.vocabulary = vocabulary;
  }

  Load read(Section top) {
    Arrivals arrivals = new ArrivalsReader(problems, vocabulary).read(top);
    Double offered = top.numberOrNull(ExperimentFile.OFFERED_LOAD, Range.within(0.001, 100));
    var read =
        new Load(
            top.required("duration_seconds", Range.within(0.001, Ranges.SECONDS_MAX), "60"),
            top.number("warmup_seconds", 0, Ranges.SECONDS),
            top.number("tail_seconds", 30, Ranges.SECONDS),
            rate(top, offered, arrivals),
            arrivals,
            new LoadShapeReader(problems).read(top),
            Scenario.of(top.oneOf("scenario", Scenario.SERVER.key(), Scenario.keys(), "scenarios")),
            top.whole("generators", 1, 1, 1000),
            offered);
    checkScenario(top, read);
    checkWarmUp(top, read);
    checkNumberOfJobs(top, read);
    return read;
  }

  /** The rate; NaN: it is still to be found, or a file says when requests come. */
  private double rate(Section top, @Nullable Double offered, Arrivals arrivals) {
    double rate =
        top.number(
            ExperimentFile.RATE,
            Double.NaN,
            Range.within(1e-6, 1e6),
            "you meant a number such as 10");
    boolean needed = offered == null && !(arrivals instanceof Arrivals.Replayed);
    if (needed && !top.has(ExperimentFile.RATE)) {
      problems.error(
          top.place(ExperimentFile.RATE),
          ExperimentFile.RATE + " is missing",
          "a line should be added: " + ExperimentFile.RATE + ": 10, or offered_load: 0.5");
    } else if (offered != null && top.has(ExperimentFile.RATE)) {
      problems.error(
          top.place(ExperimentFile.OFFERED_LOAD),
          "offered_load ("
              + Numbers.text(offered)
              + ") and arrival_rate_jobs_per_sec both say how many jobs arrive",
          "one of the two lines should be left out");
    }
    return rate;
  }

  private void checkScenario(Section top, Load load) {
    if (load.scenario() == Scenario.SERVER) {
      return;
    }
    String scenario = "scenario (" + load.scenario().key() + ")";
    if (!load.arrivals().equals(Arrivals.POISSON)) {
      problems.error(
          top.place("arrivals"),
          "arrivals (" + load.arrivals().words() + ") has no effect under " + scenario,
          "the line should be left out, or scenario: server is meant");
    }
    if (!load.shape().equals(LoadShape.even())) {
      problems.error(
          top.place("load"),
          "load (" + load.shape().name() + ") has no effect under " + scenario,
          "the line should be left out, or scenario: server is meant");
    }
    if (load.offeredLoad() != null) {
      problems.error(
          top.place(ExperimentFile.OFFERED_LOAD),
          "offered_load ("
              + Numbers.text(load.offeredLoad())
              + ") has no meaning under "
              + scenario
              + ": its jobs do not arrive over time",
          "arrival_rate_jobs_per_sec is meant, whose product with duration_seconds is the number of"
              + " jobs");
    }
    if (load.scenario() == Scenario.OFFLINE && load.warmupSeconds() > 0) {
      problems.error(
          top.place("warmup_seconds"),
          "warmup_seconds ("
              + Numbers.text(load.warmupSeconds())
              + ") must be 0 under "
              + scenario
              + ": all jobs arrive at time zero, and none would be measured",
          "the line should be left out, for its default, 0");
    }
    if (load.scenario() == Scenario.SINGLE_STREAM && load.generators() > 1) {
      problems.error(
          top.place("generators"),
          "generators (" + load.generators() + ") must be 1 under " + scenario,
          "the line should be left out, for its default, 1");
    }
  }

  private void checkWarmUp(Section top, Load load) {
    double warmupNs = Math.rint(load.warmupSeconds() * NS_PER_SECOND);
    if (warmupNs >= Math.rint(load.durationSeconds() * NS_PER_SECOND)) {
      problems.error(
          top.place(top.has("warmup_seconds") ? "warmup_seconds" : "duration_seconds"),
          "warmup_seconds ("
              + Numbers.text(load.warmupSeconds())
              + ") must be less than duration_seconds ("
              + Numbers.text(load.durationSeconds())
              + ")"
              + (load.warmupSeconds() < load.durationSeconds() ? " by a nanosecond" : "")
              + ": nothing would be measured",
          "the warm-up should be a tenth of the duration");
    }
  }

  private void checkNumberOfJobs(Section top, Load load) {
    double jobs = load.askedJobs();
    if (jobs > Ranges.JOBS_MAX) {
      problems.error(
          top.place("arrival_rate_jobs_per_sec"),
          "arrival_rate_jobs_per_sec × "
              + (load.scenario() == Scenario.SERVER
                  ? "(duration_seconds + tail_seconds)"
                  : "duration_seconds")
              + (load.shape().equals(LoadShape.even()) ? "" : " under load." + load.shape().name())
              + " asks for about "
              + Numbers.text(Math.rint(jobs))
              + " jobs, more than "
              + Numbers.text(Ranges.JOBS_MAX),
          "duration_seconds or the rate should be less: the rows of more jobs do not fit in memory");
    }
  }
}
