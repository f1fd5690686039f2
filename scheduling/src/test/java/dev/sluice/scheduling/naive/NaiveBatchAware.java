package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.function.Function;

/** The twin of {@code batch_aware}: the job that shares most with the others. */
final class NaiveBatchAware implements NaivePolicy {
  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    return state.startFirst(NaiveState.highest(w -> score(state, w)), followed);
  }

  private static double score(NaiveState state, Waiting w) {
    return 0.4 * others(state, w, o -> o.workload())
        + 0.3 * others(state, w, o -> o.backend())
        + 0.2 * others(state, w, o -> o.precision())
        + 0.1 * others(state, w, o -> o.classType())
        + (state.jobClass(w.spec).interactive() ? 1.0 : 0.5);
  }

  private static long others(NaiveState state, Waiting w, Function<JobSpec, String> attribute) {
    return state.waiting.stream()
        .filter(o -> o != w && attribute.apply(o.spec).equals(attribute.apply(w.spec)))
        .count();
  }
}
