package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.producer.arrivals.ArrivalProcesses;
import dev.sluice.producer.arrivals.IntendedTimes;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.arrivals.RescaledTime;
import dev.sluice.producer.requests.RequestSource.IsolatedTimes;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests drawn from the experiment's seed: intended times from its stream {@code arrivals}, all
 * other attributes from {@code job-mix}. The last one is meant to arrive before duration + tail.
 */
final class DrawnRequests implements RequestSource {
  private final LongSupplier times;
  private final JobMix mix;
  private final RandomStream mixRandom;
  private final long endNs;
  private long intendedAtNs;
  private @Nullable JobKind kind;

  private DrawnRequests(Experiment experiment, LongSupplier times, IsolatedTimes isolatedTimes) {
    this.times = times;
    mix = new JobMix(experiment, isolatedTimes);
    mixRandom = RandomStream.of(experiment.seed(), "job-mix");
    endNs = experiment.load().tailEndNs();
  }

  /**
   * Requests of an arrival process.
   *
   * @param rescaled time as the shape of the load bends it
   * @param isolatedTimes called only for jobs of classes with a {@code slo_scale}
   * @throws IllegalArgumentException if the arrival process is unknown
   */
  static DrawnRequests of(
      Experiment experiment,
      Arrivals.Drawn arrivals,
      RescaledTime rescaled,
      IsolatedTimes isolatedTimes) {
    var times =
        new IntendedTimes(
            ArrivalProcesses.of(arrivals, experiment.load().arrivalRateJobsPerSec()),
            RandomStream.of(experiment.seed(), "arrivals"),
            rescaled);
    return new DrawnRequests(experiment, times::nextNs, isolatedTimes);
  }

  /**
   * Requests of a scenario that draws no arrivals: a number of jobs, all meant for time zero. Under
   * single_stream this stands for the end of the job before, which no list knows.
   */
  static DrawnRequests atOnce(Experiment experiment, IsolatedTimes isolatedTimes) {
    long[] left = {experiment.load().jobsOfScenario()};
    return new DrawnRequests(
        experiment, () -> left[0]-- > 0 ? 0 : RescaledTime.NEVER_NS, isolatedTimes);
  }

  @Override
  public boolean next() {
    if (intendedAtNs < endNs) {
      intendedAtNs = times.getAsLong();
    }
    kind = intendedAtNs < endNs ? mix.next(mixRandom) : null;
    return kind != null;
  }

  @Override
  public long intendedAtNs() {
    return intendedAtNs;
  }

  @Override
  public JobKind kind() {
    if (kind == null) {
      throw new IllegalStateException("there is no present request");
    }
    return kind;
  }
}
