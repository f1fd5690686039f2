package dev.sluice.scheduling.naive;

import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;

/** The twin of {@code dynamic}: the highest sum of five terms. */
final class NaiveDynamic implements NaivePolicy {
  @Override
  public Held choose(NaiveState state, Dispatch followed) {
    Waiting best =
        state.waiting.stream()
            .filter(state::startable)
            .min(NaiveState.highest(w -> score(state, w, state.laneFor(w))))
            .orElse(null);
    if (best == null) {
      return null;
    }
    LaneOf lane = state.laneFor(best);
    return state.fill(best, lane, NaiveState.highest(w -> score(state, w, lane)), followed);
  }

  private static double score(NaiveState state, Waiting w, LaneOf lane) {
    double msLeft = (w.spec.deadlineNs() - state.nowNs) / 1e6;
    double urgency = msLeft < 0 ? 10 : 1 / (msLeft + 1);
    double others =
        state.waiting.stream().filter(o -> o != w && NaiveState.compatible(o.spec, w.spec)).count();
    double seconds =
        state.predictedNs(
                lane.executor(), w.spec, w.spec.samples(), state.busyLanesWith(lane, w.spec))
            / 1e9;
    return (state.jobClass(w.spec).interactive() ? 10.0 : 0.0)
        + urgency
        + 5 * Math.min(others / 5, 1)
        + 2 / Math.max(seconds, 0.001)
        - 0.1 * state.tokens(w.spec) / 1000;
  }
}
