package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.JobSetOf;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import java.util.List;

/** The twin of {@code symphony}: its candidates, each made anew from the sorted queue. */
final class NaiveSymphony extends NaiveJoining {
  /** What the policy reserves by default for the way to a lane and back. */
  private static final long HOP_NS = 2_200_000;

  private record Candidate(Waiting first, LaneOf lane, int samples, long startNs, long latestNs) {}

  /**
   * Says nothing where a larger batch is predicted to take less: a batch may then come due early.
   */
  @Override
  public boolean wouldAct(NaiveState state) {
    boolean timesRise =
        state.sets().stream()
            .allMatch(
                set ->
                    state.executors.stream()
                        .filter(e -> NaiveState.canRun(e, set.spec()))
                        .allMatch(e -> timesRise(state, set, e)));
    return timesRise && super.wouldAct(state);
  }

  private static boolean timesRise(NaiveState state, JobSetOf set, NaiveState.Executor executor) {
    for (int busy = 1; busy <= 4; busy++) {
      for (int b = 1; b <= 24; b++) {
        if (state.predictedNs(executor, set.spec(), b, busy)
            > state.predictedNs(executor, set.spec(), b + 1, busy)) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public Dropped drops(NaiveState state) {
    for (JobSetOf set : state.sets()) {
      Waiting head = set.first(NaiveState.BY_DEADLINE);
      LaneOf lane = lane(state, head);
      if (lane != null) {
        int size = Math.max(1, inTime(state, set, lane));
        long endNs = state.nowNs + HOP_NS + state.serviceNs(lane, head.spec, size);
        List<Waiting> late =
            set.waiting().stream().filter(w -> w.spec.deadlineNs() < endNs).toList();
        if (!late.isEmpty()) {
          return new Dropped(late, "late");
        }
      }
    }
    return null;
  }

  private static LaneOf lane(NaiveState state, Waiting head) {
    LaneOf idle = state.longestIdle(head, Long.MAX_VALUE);
    return idle == null ? state.anyLane(head.spec) : idle;
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Candidate next = null;
    for (JobSetOf set : state.sets()) {
      Candidate one = candidate(state, set);
      if (one != null
          && one.startNs <= state.nowNs
          && (next == null || one.latestNs < next.latestNs)) {
        next = one;
      }
    }
    return next == null
        ? null
        : state.fill(next.first, next.lane, NaiveState.BY_DEADLINE, next.samples, followed);
  }

  private static Candidate candidate(NaiveState state, JobSetOf set) {
    Waiting head = set.first(NaiveState.BY_DEADLINE);
    LaneOf lane = state.longestIdle(head, Long.MAX_VALUE);
    if (lane == null) {
      return null;
    }
    long deadlineNs = head.spec.deadlineNs() - HOP_NS;
    int more =
        Math.min(state.largestWithin(set, lane, deadlineNs - state.nowNs), set.samplesWaiting());
    int samples = Math.max(head.spec.samples(), Math.max(inTime(state, set, lane), more));
    long latestNs = deadlineNs - state.serviceNs(lane, head.spec, samples);
    long oneMoreNs = deadlineNs - state.serviceNs(lane, head.spec, samples + 1);
    long startNs =
        samples >= state.samplesMax(set)
            ? state.nowNs
            : Math.max(state.nowNs, Math.min(oneMoreNs, latestNs));
    return new Candidate(head, lane, samples, startNs, latestNs);
  }

  /** The last jobs that a batch would be in time for, at most as many as the load needs. */
  private static int inTime(NaiveState state, JobSetOf set, LaneOf lane) {
    int most = target(state, set, lane);
    List<Waiting> sorted = set.in(NaiveState.BY_DEADLINE);
    int size = 0;
    for (int i = sorted.size() - 1; i >= 0 && size < most; i--) {
      int with = size + sorted.get(i).spec.samples();
      if (sorted.get(i).spec.deadlineNs()
          < state.nowNs + HOP_NS + state.serviceNs(lane, set.spec(), with)) {
        break;
      }
      size = with;
    }
    return Math.min(size, most);
  }

  private static int target(NaiveState state, JobSetOf set, LaneOf lane) {
    long promiseNs = set.first(NaiveState.BY_DEADLINE).spec.sloNs() - HOP_NS;
    double perSecond = state.arrivalsPerSecond(set);
    if (Double.isNaN(perSecond)) {
      return Math.max(1, state.largestWithin(set, lane, promiseNs / 2));
    }
    double gapNs = 1e9 / Math.max(perSecond, 1e-9);
    int most = state.samplesMax(set);
    int fits =
        bisect(
            most,
            b -> {
              double ns = state.serviceNs(lane, set.spec(), b);
              return ns + Math.min(ns, b * gapNs) <= promiseNs;
            });
    boolean lessThanOneLane =
        fits > 0 && state.serviceNs(lane, set.spec(), fits + 1) <= (fits + 1) * gapNs;
    if (lessThanOneLane && fits < most) {
      return Math.max(
          1, bisect(fits, b -> state.serviceNs(lane, set.spec(), b) + b * gapNs <= promiseNs));
    }
    return Math.max(1, fits);
  }

  private static int bisect(int most, java.util.function.IntPredicate holds) {
    int fits = 0;
    int tooLarge = most + 1;
    while (fits + 1 < tooLarge) {
      int middle = (fits + tooLarge) / 2;
      if (holds.test(middle)) {
        fits = middle;
      } else {
        tooLarge = middle;
      }
    }
    return fits;
  }
}
