package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Running;
import dev.sluice.scheduling.policy.SchedulerState.Walk;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The largest batch of all models that ends by its first deadline starts at once; a running batch
 * is cancelled for one that is {@code lambda} times as large (Flex, the online part of Shepherd:
 * Zhang et al., "SHEPHERD: Serving DNNs in the Wild", NSDI 2023, with the corrections to its
 * pseudo-code that its author gave). One group of lanes: the offline part, Herd, has nothing to
 * divide then.
 */
final class ShepherdPolicy implements SchedulingPolicy {
  static final List<Weight> PARAMETERS = List.of(new Weight("lambda", 3.03, 1, 1_000_000));

  /** A size that was not looked up. */
  private static final int UNKNOWN = -1;

  private final boolean preempts;
  private final double lambda;

  /** The policy that cancels running batches. */
  ShepherdPolicy(Map<String, Double> parameters) {
    preempts = true;
    lambda = Weight.in(parameters, "lambda");
  }

  /** The policy that cancels none. */
  ShepherdPolicy() {
    preempts = false;
    lambda = Double.POSITIVE_INFINITY;
  }

  @Override
  public Needs needs() {
    return preempts
        ? Needs.of(
            JobOrder.DEADLINE,
            Need.DEADLINES,
            Need.ESTIMATES,
            Need.JOINING,
            Need.DROPPING,
            Need.CANCELLING)
        : Needs.of(JobOrder.DEADLINE, Need.DEADLINES, Need.ESTIMATES, Need.JOINING, Need.DROPPING);
  }

  @Override
  public Choice choose(SchedulerState state) {
    Choice drop = Queues.dropLate(state);
    if (drop != null) {
      return drop;
    }
    Job best = null;
    Lane on = null;
    int most = 0;
    List<? extends CompatibleSet> sets = state.sets();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      Job head = Queues.first(set, JobOrder.DEADLINE);
      Lane lane = Queues.longestIdle(state, head.group(), head.deadlineNs() - state.nowNs(), false);
      int samples = lane == null ? 0 : samplesOnTime(state, set, lane, null);
      if (samples > most) {
        best = head;
        on = lane;
        most = samples;
      }
    }
    if (best != null && on != null) {
      return Queues.start(state, best, on, JobOrder.DEADLINE, most);
    }
    Lane victim = preempts ? victim(state) : null;
    return victim == null
        ? Queues.nothingUntil(state, Queues.nextLateNs(state))
        : Choice.cancel(victim);
  }

  /**
   * Returns the first lane whose batch a larger one should take the place of; null: there is none.
   */
  private @Nullable Lane victim(SchedulerState state) {
    List<? extends Lane> lanes = state.lanes();
    List<? extends CompatibleSet> sets = state.sets();
    int[] sizes = new int[sets.size()];
    String executorId = "";
    for (int i = 0; i < lanes.size(); i++) {
      Lane lane = lanes.get(i);
      Running running = lane.running();
      if (running == null || !lane.mayCancel() || running.decidedAtNs() >= state.nowNs()) {
        continue;
      }
      if (!lane.executorId().equals(executorId)) {
        executorId = lane.executorId();
        Arrays.fill(sizes, UNKNOWN);
      }
      double least = lambda * running.samples();
      for (int j = 0; j < sets.size(); j++) {
        CompatibleSet set = sets.get(j);
        if (samplesAtMost(set, running) < least) {
          continue;
        }
        boolean isAlike = running.set() != set && set.groups().get(0).lanesNeeded() == 1;
        int size = isAlike ? sizes[j] : UNKNOWN;
        if (size == UNKNOWN) {
          size = samplesInPlaceOf(state, set, lane, running);
        }
        if (isAlike) {
          sizes[j] = size; // as large on each busy lane of the executor
        }
        if (size >= least) {
          return lane;
        }
      }
    }
    return null;
  }

  /** Returns what no batch of the set exceeds. */
  private static long samplesAtMost(CompatibleSet set, Running running) {
    long waiting = running.set() == set ? running.samples() : 0;
    int most = set.samplesMax();
    List<? extends Group> groups = set.groups();
    for (int i = 0; i < groups.size(); i++) {
      Group group = groups.get(i);
      waiting += (long) group.waiting() * group.samples();
      most = Math.max(most, group.samples()); // a job larger than the limit runs alone
    }
    return Math.min(waiting, most);
  }

  /** Returns the size of the batch of a set that could take the place of a running one. */
  private static int samplesInPlaceOf(
      SchedulerState state, CompatibleSet set, Lane lane, Running running) {
    return state.canRun(lane, set.groups().get(0))
        ? Math.min(samplesOnTime(state, set, lane, running), samplesWithTokens(set, lane, running))
        : 0;
  }

  /** Returns the size of the batch that the executor has the tokens for beside what it runs. */
  private static int samplesWithTokens(CompatibleSet set, Lane lane, Running running) {
    Job head = Queues.first(set, JobOrder.DEADLINE);
    int samples = running.set() == set ? running.samples() : 0;
    for (Job job : set.fill(head, lane, JobOrder.DEADLINE, set.samplesMax())) {
      samples += job.group().samples();
    }
    return samples;
  }

  /**
   * Returns the size of the batch of the first jobs by deadline that would end by the first of
   * their deadlines if it started on the lane now. Jobs that run there count as waiting ones.
   */
  private static int samplesOnTime(
      SchedulerState state, CompatibleSet set, Lane lane, @Nullable Running running) {
    Job head = Queues.first(set, JobOrder.DEADLINE);
    long firstNs = head.deadlineNs();
    int samples = 0;
    if (running != null && running.set() == set) {
      for (Job job : running.jobs()) {
        firstNs = Math.min(firstNs, job.deadlineNs());
      }
      samples = running.samples();
    }
    int fits = state.largestWithin(set, lane, firstNs - state.nowNs());
    if (samples == 0 && head.group().samples() > fits) {
      long aloneNs = state.predictedNs(set, head.group().samples(), lane);
      return aloneNs <= firstNs - state.nowNs() ? head.group().samples() : 0;
    }
    Walk walk = set.walk(JobOrder.DEADLINE);
    for (Job job = walk.next(); job != null && samples < fits; job = walk.next()) {
      if (samples + job.group().samples() > fits) {
        break;
      }
      samples += job.group().samples();
    }
    return Math.min(samples, fits);
  }
}
