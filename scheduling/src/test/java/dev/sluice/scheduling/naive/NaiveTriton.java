package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.JobSetOf;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The twin of {@code triton} at its defaults: no delay, no preferred size. */
final class NaiveTriton extends NaiveJoining {
  private final List<List<Object>> started = new ArrayList<>();

  @Override
  public boolean mixesClasses() {
    return true;
  }

  @Override
  public void started(NaiveState state, Held held) {
    started.add(
        key(
            new LaneOf(state.executor(held.start.executorId()), held.start.lane()),
            held.jobs.get(0)));
  }

  private static List<Object> key(LaneOf lane, Waiting job) {
    return List.of(
        lane.executor().report.executorId(),
        lane.index(),
        job.spec.workload(),
        job.spec.backend(),
        job.spec.precision(),
        job.spec.lanesNeeded());
  }

  private long runs(NaiveState state, Waiting head) {
    List<Object> key = key(state.longestIdle(head, Long.MAX_VALUE), head);
    return started.stream().filter(key::equals).count();
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Waiting head =
        state.sets().stream()
            .map(set -> set.first(NaiveState.BY_ENTRY))
            .filter(w -> state.longestIdle(w, Long.MAX_VALUE) != null)
            .min(
                Comparator.comparingLong((Waiting w) -> runs(state, w))
                    .thenComparing(NaiveState.BY_ENTRY))
            .orElse(null);
    if (head == null) {
      return null;
    }
    JobSetOf set =
        state.sets().stream().filter(s -> s.waiting().contains(head)).findFirst().orElseThrow();
    int most = state.samplesMax(set);
    int size = 0;
    for (Waiting w : set.in(NaiveState.BY_ENTRY)) {
      if (size > 0 && size + w.spec.samples() > most) {
        break;
      }
      size += w.spec.samples();
    }
    LaneOf lane = state.longestIdle(head, Long.MAX_VALUE);
    return state.fill(head, lane, NaiveState.BY_ENTRY, size, followed);
  }
}
