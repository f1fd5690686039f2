package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import java.util.Map;

/** The twin of {@code dynamic}: the highest sum of five terms. */
final class NaiveDynamic implements NaivePolicy {
  private static final Map<String, Double> DEFAULTS =
      Map.of(
          "interactive", 10.0,
          "urgency", 1.0,
          "overdue", 10.0,
          "batchability", 5.0,
          "short_service", 2.0,
          "tokens", 0.1);

  private final Map<String, Double> weights;

  NaiveDynamic() {
    this(DEFAULTS);
  }

  /**
   * @param weights all six
   */
  NaiveDynamic(Map<String, Double> weights) {
    this.weights = Map.copyOf(weights);
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
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

  private double score(NaiveState state, Waiting w, LaneOf lane) {
    double msLeft = (w.spec.deadlineNs() - state.nowNs) / 1e6;
    double urgency = msLeft < 0 ? weights.get("overdue") : weights.get("urgency") / (msLeft + 1);
    double others =
        state.waiting.stream().filter(o -> o != w && NaiveState.compatible(o.spec, w.spec)).count();
    double seconds =
        state.predictedNs(
                lane.executor(), w.spec, w.spec.samples(), state.busyLanesWith(lane, w.spec))
            / 1e9;
    return (state.jobClass(w.spec).interactive() ? weights.get("interactive") : 0.0)
        + urgency
        + weights.get("batchability") * Math.min(others / 5, 1)
        + weights.get("short_service") / Math.max(seconds, 0.001)
        - weights.get("tokens") * state.tokens(w.spec) / 1000;
  }
}
