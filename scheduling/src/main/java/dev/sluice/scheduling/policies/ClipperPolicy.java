package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.Weight;
import java.util.List;
import java.util.Map;

/**
 * Batches of adaptive size, at most a limit of each lane, model and class: the limit rises by a
 * step after a full batch that met the latency objective, and falls by a share after one that did
 * not (additive increase, multiplicative decrease). Jobs whose deadline is past are dropped
 * (Crankshaw et al., "Clipper: A Low-Latency Online Prediction Serving System", NSDI 2017, section
 * 4.3).
 */
final class ClipperPolicy implements SchedulingPolicy {
  /**
   * objective: latency objective of a batch as a share of the promise; backoff: factor on the limit
   * after a batch that was too long; step: added after a full batch that was not; delay_ms: time
   * that a batch below its limit waits for more.
   */
  static final List<Weight> PARAMETERS =
      List.of(
          new Weight("objective", 0.5, 0.01, 1),
          new Weight("backoff", 0.9, 0.1, 0.999),
          new Weight("step", 1, 1, 1000),
          new Weight("delay_ms", 0, 0, 10_000));

  private final double objective;
  private final double backoff;
  private final double step;
  private final long delayNs;

  ClipperPolicy(Map<String, Double> parameters) {
    objective = Weight.in(parameters, "objective");
    backoff = Weight.in(parameters, "backoff");
    step = Weight.in(parameters, "step");
    delayNs = Weight.nsOfMs(parameters, "delay_ms");
  }

  @Override
  public Needs needs() {
    return Needs.of(JobOrder.DEADLINE, Need.DEADLINES, Need.JOINING, Need.DROPPING, Need.MEMORY);
  }

  @Override
  public void remember(Memory memory, Happening what, SchedulerState state) {
    if (what instanceof Happening.Completed done) {
      String name = Queues.nameOf("limit", done.lane()) + "/" + done.set();
      double limit = memory.get(name, 1);
      if (done.serviceNs() > objective * done.sloNs()) {
        memory.set(name, Math.max(1, Math.floor(backoff * limit)));
      } else if (done.samples() >= limit) {
        memory.set(name, limit + step);
      }
    }
  }

  @Override
  public Choice choose(SchedulerState state) {
    Job earliest = null;
    Lane on = null;
    int most = 0;
    long untilNs = Long.MAX_VALUE;
    List<? extends CompatibleSet> sets = state.sets();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      Job head = Queues.first(set, JobOrder.DEADLINE);
      if (head.deadlineNs() < state.nowNs()) {
        return Choice.drop(Queues.due(set, JobOrder.DEADLINE, state.nowNs()), "late");
      }
      untilNs = Math.min(untilNs, head.deadlineNs() + 1);
      if (earliest != null && JobOrder.DEADLINE.compare(head, earliest) > 0) {
        continue;
      }
      Lane lane = Queues.longestIdle(state, head.group());
      if (lane != null) {
        int limit = limit(state, set, lane);
        long waitsUntilNs = head.spec().intendedAtNs() + delayNs;
        if (delayNs == 0 || set.samples() >= limit || waitsUntilNs <= state.nowNs()) {
          earliest = head;
          on = lane;
          most = limit;
        } else {
          untilNs = Math.min(untilNs, waitsUntilNs);
        }
      }
    }
    return earliest == null || on == null
        ? Queues.nothingUntil(state, untilNs)
        : Queues.start(state, earliest, on, JobOrder.DEADLINE, most)
            .because(Map.of("limit", (double) most));
  }

  private static int limit(SchedulerState state, CompatibleSet set, Lane lane) {
    String name = Queues.nameOf("limit", lane) + "/" + set.name();
    return (int) Math.min(state.remembered(name, 1), set.samplesMax());
  }
}
