package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.JobSetOf;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The twin of {@code clockwork} at its defaults. */
final class NaiveClockwork extends NaiveJoining {
  /** A size's queue: what it skips, its head, and whether it can be filled. */
  private record Size(int samples, LaneOf lane, List<Waiting> skipped, Waiting head, boolean full) {
    long startByNs(NaiveState state) {
      return NaiveClockwork.startByNs(state, head, samples, lane);
    }
  }

  private record Chosen(Size size, long startByNs) {}

  @Override
  public boolean mixesClasses() {
    return true;
  }

  static long startByNs(NaiveState state, Waiting head, int size, LaneOf lane) {
    int samples = Math.max(size, head.spec.samples());
    return head.spec.deadlineNs()
        - state.boundNs(lane.executor(), head.spec, samples, state.busyLanesWith(lane, head.spec));
  }

  @Override
  public Dropped drops(NaiveState state) {
    for (JobSetOf set : state.sets()) {
      List<Waiting> late = new ArrayList<>();
      for (Waiting w : set.in(NaiveState.BY_ENTRY)) {
        if (w.spec.deadlineNs() >= state.nowNs) {
          break;
        }
        late.add(w);
      }
      if (!late.isEmpty()) {
        return new Dropped(late, "late");
      }
    }
    Chosen best = best(state);
    return best == null || best.size.skipped.isEmpty()
        ? null
        : new Dropped(best.size.skipped, "skipped");
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Chosen best = best(state);
    return best == null
        ? null
        : state.fill(
            best.size.head, best.size.lane, NaiveState.BY_ENTRY, best.size.samples, followed);
  }

  private static Chosen best(NaiveState state) {
    Chosen best = null;
    for (JobSetOf set : state.sets()) {
      LaneOf lane = state.longestIdle(set.first(NaiveState.BY_ENTRY), Long.MAX_VALUE);
      Chosen one = lane == null ? null : ofModel(state, sizes(state, set, lane));
      if (one != null && (best == null || one.startByNs < best.startByNs)) {
        best = one;
      }
    }
    return best;
  }

  private static List<Size> sizes(NaiveState state, JobSetOf set, LaneOf lane) {
    List<Size> sizes = new ArrayList<>();
    for (int size = 1; size <= Math.min(16, state.samplesMax(set)); size *= 2) {
      List<Waiting> queue = new ArrayList<>(set.in(NaiveState.BY_ENTRY));
      List<Waiting> skipped = new ArrayList<>();
      while (!queue.isEmpty() && startByNs(state, queue.get(0), size, lane) < state.nowNs) {
        skipped.add(queue.remove(0));
      }
      if (!queue.isEmpty()) {
        int samples = queue.stream().mapToInt(w -> w.spec.samples()).sum();
        sizes.add(new Size(size, lane, skipped, queue.get(0), samples >= size));
      }
    }
    return sizes;
  }

  /** The popped strategy counts among models; the largest full size from there on is run. */
  private static Chosen ofModel(NaiveState state, List<Size> all) {
    List<Size> left = new ArrayList<>(all);
    while (!left.isEmpty()) {
      Size popped = left.stream().min(Comparator.comparingLong(s -> s.startByNs(state))).get();
      Size run =
          all.stream()
              .filter(s -> s.full && s.samples >= popped.samples)
              .max(Comparator.comparingInt(Size::samples))
              .orElse(null);
      if (run != null) {
        return new Chosen(run, popped.startByNs(state));
      }
      left.removeIf(s -> s.samples >= popped.samples);
    }
    return null;
  }
}
