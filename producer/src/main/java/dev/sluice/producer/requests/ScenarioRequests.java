package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.producer.arrivals.RandomStream;
import org.jspecify.annotations.Nullable;

/**
 * Requests of a scenario that draws no arrivals: a number of jobs, all meant for time zero. All
 * else is drawn from the seed's stream {@code job-mix}, as with arrivals. Under single_stream the
 * time zero stands for the end of the job before, which no list knows.
 */
final class ScenarioRequests implements RequestSource {
  private final JobMix mix;
  private final RandomStream mixRandom;
  private long left;
  private @Nullable JobKind kind;

  ScenarioRequests(Experiment experiment, IsolatedTimes isolatedTimes) {
    mix = new JobMix(experiment, isolatedTimes);
    mixRandom = RandomStream.of(experiment.seed(), "job-mix");
    left = experiment.load().jobsOfScenario();
  }

  @Override
  public boolean next() {
    kind = left == 0 ? null : mix.next(mixRandom);
    left -= left == 0 ? 0 : 1;
    return kind != null;
  }

  @Override
  public long intendedAtNs() {
    return 0;
  }

  @Override
  public JobKind kind() {
    if (kind == null) {
      throw new IllegalStateException("there is no present request");
    }
    return kind;
  }
}
