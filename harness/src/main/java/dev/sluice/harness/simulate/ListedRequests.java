package dev.sluice.harness.simulate;

import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.value.JobId;
import dev.sluice.producer.requests.JobKind;
import dev.sluice.producer.requests.RequestList;
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
  public @Nullable JobRequested next(int generator) {
    int index = nextIndex[generator];
    if (index >= list.size()) {
      return null;
    }
    nextIndex[generator] += nextIndex.length;
    return request(index, generator, list.intendedAtNs(index));
  }

  @Override
  public boolean oneAtATime() {
    return oneAtATime;
  }

  @Override
  public @Nullable JobRequested nextAt(long intendedAtNs) {
    int index = nextIndex[0];
    if (index >= list.size() || intendedAtNs >= durationNs) {
      return null;
    }
    nextIndex[0]++;
    return request(index, 0, intendedAtNs);
  }

  private JobRequested request(int index, int generator, long intendedAtNs) {
    JobKind kind = list.kinds().get(list.kindNumber(index));
    return new JobRequested(
        JobId.of(index),
        generator,
        index,
        kind.classType(),
        kind.workload(),
        kind.backend(),
        kind.precision(),
        kind.samples(),
        kind.sloNs(),
        intendedAtNs,
        intendedAtNs);
  }

  @Override
  public boolean isMeasured(String jobId) {
    int index = JobId.index(jobId);
    return measuredFrom <= index && index < measuredTo;
  }
}
