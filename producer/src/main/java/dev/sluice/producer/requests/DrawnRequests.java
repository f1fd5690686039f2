package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.producer.arrivals.ArrivalProcesses;
import dev.sluice.producer.arrivals.IntendedTimes;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.arrivals.RescaledTime;
import org.jspecify.annotations.Nullable;

/**
 * Requests drawn from the experiment's seed: intended times from its stream {@code arrivals}, all
 * other attributes from {@code job-mix}. The last one is meant to arrive before duration + tail.
 */
final class DrawnRequests implements RequestSource {
  private final IntendedTimes times;
  private final JobMix mix;
  private final RandomStream mixRandom;
  private final long endNs;
  private long intendedAtNs;
  private @Nullable JobKind kind;

  /**
   * @param rescaled time as the shape of the load bends it
   * @param isolatedTimes called only for jobs of classes with a {@code slo_scale}
   * @throws IllegalArgumentException if the arrival process is unknown
   */
  DrawnRequests(
      Experiment experiment,
      Arrivals.Drawn arrivals,
      RescaledTime rescaled,
      IsolatedTimes isolatedTimes) {
    times =
        new IntendedTimes(
            ArrivalProcesses.of(arrivals, experiment.load().arrivalRateJobsPerSec()),
            RandomStream.of(experiment.seed(), "arrivals"),
            rescaled);
    mix = new JobMix(experiment, isolatedTimes);
    mixRandom = RandomStream.of(experiment.seed(), "job-mix");
    endNs = Seconds.toNs(experiment.load().durationSeconds() + experiment.load().tailSeconds());
  }

  @Override
  public boolean next() {
    if (intendedAtNs < endNs) {
      intendedAtNs = times.nextNs();
    }
    if (intendedAtNs >= endNs) {
      kind = null;
      return false;
    }
    kind = mix.next(mixRandom);
    return true;
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
