package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;

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
    var read =
        new Load(
            top.required("duration_seconds", Range.within(0.001, Ranges.SECONDS_MAX), "60"),
            top.number("warmup_seconds", 0, Ranges.SECONDS),
            top.number("tail_seconds", 30, Ranges.SECONDS),
            top.required("arrival_rate_jobs_per_sec", Range.within(1e-6, 1e6), "10"),
            new ArrivalsReader(problems, vocabulary).read(top),
            new LoadShapeReader(problems).read(top),
            Scenario.of(top.oneOf("scenario", Scenario.SERVER.key(), Scenario.keys(), "scenarios")),
            top.whole("generators", 1, 1, 1000));
    checkScenario(top, read);
    checkWarmUp(top, read);
    checkNumberOfJobs(top, read);
    return read;
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
          "duration_seconds should be shorter");
    }
  }
}
