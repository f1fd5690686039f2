package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.JobSetOf;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;

/** The twin of {@code shepherd_nonpreemptive}: the largest batch of all sets. */
class NaiveShepherdNonpreemptive extends NaiveJoining {
  @Override
  public Dropped drops(NaiveState state) {
    return state.late();
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Waiting best = null;
    LaneOf on = null;
    int most = 0;
    for (JobSetOf set : state.sets()) {
      Waiting head = set.first(NaiveState.BY_DEADLINE);
      LaneOf lane = state.longestIdle(head, head.spec.deadlineNs() - state.nowNs);
      int size = lane == null ? 0 : size(state, set, lane);
      if (size > most) {
        best = head;
        on = lane;
        most = size;
      }
    }
    return best == null ? null : state.fill(best, on, NaiveState.BY_DEADLINE, most, followed);
  }

  static int size(NaiveState state, JobSetOf set, LaneOf lane) {
    Waiting head = set.first(NaiveState.BY_DEADLINE);
    long leftNs = head.spec.deadlineNs() - state.nowNs;
    int fits = state.largestWithin(set, lane, leftNs);
    if (head.spec.samples() > fits) {
      return state.serviceNs(lane, head.spec, head.spec.samples()) <= leftNs
          ? head.spec.samples()
          : 0;
    }
    int size = 0;
    for (Waiting w : set.in(NaiveState.BY_DEADLINE)) {
      if (size + w.spec.samples() > fits) {
        return size;
      }
      size += w.spec.samples();
    }
    return size;
  }
}
