package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Walk;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Predictable execution: a batch starts only if it ends by its first deadline, by the upper bound
 * of its service time. Each model has one queue for each batch size 1, 2, 4, …; of all sizes the
 * one whose first job must start first is served, by the largest size at least as large that is
 * full. Jobs that a large batch passes over are given up. Where lanes have a memory, a batch starts
 * on a lane that holds its model, and {@link ClockworkLoads} decides what lanes load (Gujarati et
 * al., "Serving DNNs like Clockwork: Performance Predictability from the Bottom Up", OSDI 2020).
 */
final class ClockworkPolicy implements SchedulingPolicy {
  /** buffer_ms: time before the deadline at which it aims; max_batch: largest size. */
  static final List<Weight> PARAMETERS =
      List.of(new Weight("buffer_ms", 0, 0, 10_000), new Weight("max_batch", 16, 1, 1024));

  private final long bufferNs;
  private final int samplesMax;

  ClockworkPolicy(Map<String, Double> parameters) {
    bufferNs = Weight.nsOfMs(parameters, "buffer_ms");
    samplesMax = (int) Weight.in(parameters, "max_batch");
  }

  /**
   * The queue of a batch size.
   *
   * @param head first job that a batch of the size would still end in time for
   * @param skipped jobs before it
   * @param isFull whether the jobs from the head on fill the batch
   */
  private record SizeQueue(
      int samples, Job head, List<Job> skipped, boolean isFull, long startByNs) {
    SizeQueue startBy(long ns) {
      return new SizeQueue(samples, head, skipped, isFull, ns);
    }
  }

  @Override
  public Needs needs() {
    return Needs.of(
        JobOrder.ENTRY,
        Need.DEADLINES,
        Need.ESTIMATES,
        Need.JOINING,
        Need.DROPPING,
        Need.SETS_OF_ALL_CLASSES,
        Need.RESIDENCY);
  }

  @Override
  public Choice choose(SchedulerState state) {
    List<? extends CompatibleSet> sets = state.sets();
    SizeQueue next = null;
    Lane on = null;
    long untilNs = Long.MAX_VALUE;
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      Job head = Queues.first(set, JobOrder.ENTRY);
      if (head.deadlineNs() < state.nowNs()) {
        return Choice.drop(Queues.due(set, JobOrder.ENTRY, state.nowNs()), "late");
      }
      untilNs = Math.min(untilNs, head.deadlineNs() + 1);
      Lane lane = Queues.longestIdle(state, head.group(), Long.MAX_VALUE, true);
      if (lane == null) {
        continue;
      }
      SizeQueue best = best(sizes(state, set, lane));
      if (best != null && (next == null || best.startByNs < next.startByNs)) {
        next = best;
        on = lane;
      }
    }
    if (next == null || on == null) {
      // a batch first, since a load may take its model
      Choice load = ClockworkLoads.next(state, JobOrder.ENTRY);
      return load == null ? Queues.nothingUntil(state, untilNs) : load;
    }
    return next.skipped.isEmpty()
        ? Queues.start(state, next.head, on, JobOrder.ENTRY, next.samples)
        : Choice.drop(
            next.skipped.subList(0, Math.min(next.skipped.size(), Queues.DROP_MAX)), "skipped");
  }

  /** Returns the queues of all sizes in which a job is in time. */
  private List<SizeQueue> sizes(SchedulerState state, CompatibleSet set, Lane lane) {
    List<SizeQueue> queues = new ArrayList<>();
    int most = Math.min(samplesMax, set.samplesMax());
    for (int size = 1; size <= most; size *= 2) {
      Walk walk = set.walk(JobOrder.ENTRY);
      List<Job> skipped = new ArrayList<>();
      Job head = walk.next();
      while (head != null && startByNs(state, head, size, lane) < state.nowNs()) {
        skipped.add(head);
        head = walk.next();
      }
      if (head != null) {
        long startByNs = startByNs(state, head, size, lane);
        int samples = 0;
        for (Job job = head; job != null && samples < size; job = walk.next()) {
          samples += job.group().samples();
        }
        queues.add(new SizeQueue(size, head, skipped, samples >= size, startByNs));
      }
    }
    return queues;
  }

  /** Returns when a batch that the job leads must start to end in time. */
  private long startByNs(SchedulerState state, Job head, int size, Lane lane) {
    int samples = Math.max(size, head.group().samples());
    return head.deadlineNs() - bufferNs - state.boundNs(head.group().set(), samples, lane);
  }

  /**
   * Returns the queue to serve: for the size that must start first the largest full one at least as
   * large; if there is none, for the next smaller size. Null: no queue can be served.
   */
  private static @Nullable SizeQueue best(List<SizeQueue> queues) {
    int below = queues.size();
    while (below > 0) {
      int first = 0;
      for (int i = 1; i < below; i++) {
        first = queues.get(i).startByNs < queues.get(first).startByNs ? i : first;
      }
      for (int i = queues.size() - 1; i >= first; i--) {
        if (queues.get(i).isFull) {
          return queues.get(i).startBy(queues.get(first).startByNs);
        }
      }
      below = first;
    }
    return null;
  }
}
