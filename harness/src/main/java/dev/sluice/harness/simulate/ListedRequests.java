package dev.sluice.harness.simulate;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.producer.requests.JobKind;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.scheduling.policy.JobName;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.simulation.Requests;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A run's request list, dealt to its generators as in a live run. For one simulation. */
final class ListedRequests implements Requests {
  private static final double NS_PER_SECOND = 1e9;

  private final RequestList list;
  private final boolean oneAtATime;
  private final long durationNs;
  private final int measuredFrom;
  private final int measuredTo;
  private final int[] nextIndex;

  ListedRequests(RequestList list, Experiment experiment) {
    this.list = list;
    oneAtATime = experiment.load().scenario() == Scenario.SINGLE_STREAM;
    durationNs = Math.round(experiment.load().durationSeconds() * NS_PER_SECOND);
    measuredFrom =
        oneAtATime
            ? 0
            : list.countBefore(Math.round(experiment.load().warmupSeconds() * NS_PER_SECOND));
    measuredTo = list.countBefore(durationNs);
    nextIndex = new int[experiment.load().generators()];
    Arrays.setAll(nextIndex, generator -> generator);
  }

  @Override
  public @Nullable JobSpec next(int generator) {
    int index = nextIndex[generator];
    if (index >= list.size()) {
      return null;
    }
    nextIndex[generator] += nextIndex.length;
    return spec(index, generator, list.intendedAtNs(index));
  }

  @Override
  public boolean oneAtATime() {
    return oneAtATime;
  }

  @Override
  public @Nullable JobSpec nextAt(long intendedAtNs) {
    int index = nextIndex[0];
    if (index >= list.size() || intendedAtNs >= durationNs) {
      return null;
    }
    nextIndex[0]++;
    return spec(index, 0, intendedAtNs);
  }

  private JobSpec spec(int index, int generator, long intendedAtNs) {
    JobKind kind = list.kinds().get(list.kindNumber(index));
    return new JobSpec(
        null,
        generator,
        index,
        kind.classType(),
        kind.workload(),
        kind.backend(),
        kind.precision(),
        kind.samples(),
        1,
        kind.sloNs(),
        intendedAtNs);
  }

  @Override
  public boolean isMeasured(JobName job) {
    return job.isNumbered() && measuredFrom <= job.number() && job.number() < measuredTo;
  }
}
