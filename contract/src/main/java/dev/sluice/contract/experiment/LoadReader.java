package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;

/** The keys of the load, which stand at the top of the file. */
final class LoadReader {
  private final Problems problems;
  private final Vocabulary vocabulary;

  LoadReader(Problems problems, Vocabulary vocabulary) {
    this.problems = problems;
    this.vocabulary = vocabulary;
  }

  Load read(Section top) {
    var read =
        new Load(
            top.required("duration_seconds", Range.above(0, Ranges.SECONDS_MAX), "60"),
            top.number("warmup_seconds", 0, Ranges.SECONDS),
            top.number("tail_seconds", 30, Ranges.SECONDS),
            top.required("arrival_rate_jobs_per_sec", Range.above(0, 1e6), "10"),
            new ArrivalsReader(problems, vocabulary).read(top),
            new LoadShapeReader(problems).read(top),
            top.whole("generators", 1, 1, 1000));
    checkWarmUp(top, read);
    checkNumberOfJobs(top, read);
    return read;
  }

  private void checkWarmUp(Section top, Load load) {
    if (load.warmupSeconds() >= load.durationSeconds()) {
      problems.error(
          top.place(top.has("warmup_seconds") ? "warmup_seconds" : "duration_seconds"),
          "warmup_seconds ("
              + Numbers.text(load.warmupSeconds())
              + ") must be less than duration_seconds ("
              + Numbers.text(load.durationSeconds())
              + "): nothing would be measured",
          "the warm-up should be a tenth of the duration");
    }
  }

  private void checkNumberOfJobs(Section top, Load load) {
    if (load.shape() instanceof LoadShape.Rates || load.arrivals() instanceof Arrivals.Replayed) {
      return; // its file tells
    }
    double jobs =
        load.arrivalRateJobsPerSec()
            * load.shape().integralSeconds(load.durationSeconds() + load.tailSeconds());
    if (jobs > Ranges.JOBS_MAX) {
      problems.error(
          top.place("arrival_rate_jobs_per_sec"),
          "arrival_rate_jobs_per_sec × (duration_seconds + tail_seconds)"
              + (load.shape().equals(LoadShape.EVEN) ? "" : " under load." + load.shape().name())
              + " asks for about "
              + Numbers.text(Math.rint(jobs))
              + " jobs, more than "
              + Numbers.text(Ranges.JOBS_MAX),
          "duration_seconds should be shorter");
    }
  }
}
