package dev.sluice.scheduling.naive;

import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.JobSetOf;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import java.util.List;

/** The twin of {@code shepherd}: a batch of 3.03 times the size takes a running batch's lane. */
final class NaiveShepherd extends NaiveShepherdNonpreemptive {
  @Override
  public Held cancels(NaiveState state) {
    for (NaiveState.Executor executor : state.executors) {
      if (!executor.joined() || executor.lost) {
        continue;
      }
      for (int i = 0; i < executor.report.lanes().size(); i++) {
        List<Held> held = state.heldOn(executor, i);
        boolean mayBeCancelled =
            held.size() == 1
                && !held.get(0).lost
                && held.get(0).jobs.stream().anyMatch(w -> !w.ended)
                && held.get(0).startedNs < state.nowNs
                && held.get(0).start.lanes() == 1
                && state.only == null
                && !executor.refusing.contains(i);
        if (mayBeCancelled && isSmall(state, held.get(0), new LaneOf(executor, i))) {
          return held.get(0);
        }
      }
    }
    return null;
  }

  private static boolean isSmall(NaiveState state, Held running, LaneOf lane) {
    return state.sets().stream()
        .filter(set -> NaiveState.canRun(lane.executor(), set.spec()))
        .filter(set -> sizeInPlaceOf(state, set, lane, running) >= 3.03 * running.samples)
        .anyMatch(set -> sizeWithTokens(state, set, lane, running) >= 3.03 * running.samples);
  }

  private static int sizeWithTokens(NaiveState state, JobSetOf set, LaneOf lane, Held running) {
    Held filled =
        state.fill(
            set.first(NaiveState.BY_DEADLINE),
            lane,
            NaiveState.BY_DEADLINE,
            state.samplesMax(set),
            null);
    boolean same = state.mayShare(running.jobs.get(0).spec, set.spec());
    return filled.samples + (same ? running.samples : 0);
  }

  private static int sizeInPlaceOf(NaiveState state, JobSetOf set, LaneOf lane, Held running) {
    if (!state.mayShare(running.jobs.get(0).spec, set.spec())) {
      return size(state, set, lane);
    }
    Waiting head = set.first(NaiveState.BY_DEADLINE);
    long firstNs = head.spec.deadlineNs();
    for (Waiting job : running.jobs) {
      firstNs = job.ended ? firstNs : Math.min(firstNs, job.spec.deadlineNs());
    }
    int fits = state.largestWithin(set, lane, firstNs - state.nowNs);
    int size = running.samples;
    for (Waiting w : set.in(NaiveState.BY_DEADLINE)) {
      if (size + w.spec.samples() > fits) {
        break;
      }
      size += w.spec.samples();
    }
    return Math.min(size, fits);
  }
}
