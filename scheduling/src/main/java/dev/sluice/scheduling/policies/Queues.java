package dev.sluice.scheduling.policies;

import static java.util.Objects.requireNonNull;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Walk;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Steps that policies with one queue for each compatible set have in common. */
final class Queues {
  /** Largest number of jobs in one drop; the policy is asked again for the others. */
  static final int DROP_MAX = 500;

  private Queues() {}

  static Job first(CompatibleSet set, JobOrder order) {
    return requireNonNull(set.walk(order).next(), "no job of the set waits");
  }

  /** Returns the samples of all jobs of the set that wait. */
  static long samplesWaiting(CompatibleSet set) {
    long samples = 0;
    List<? extends Group> groups = set.groups();
    for (int i = 0; i < groups.size(); i++) {
      samples += (long) groups.get(i).waiting() * groups.get(i).samples();
    }
    return samples;
  }

  /** Returns the first jobs by an order, up to the first whose deadline is not before a time. */
  static List<Job> due(CompatibleSet set, JobOrder order, long beforeNs) {
    List<Job> due = new ArrayList<>();
    Walk walk = set.walk(order);
    Job job = walk.next();
    while (job != null && job.deadlineNs() < beforeNs && due.size() < DROP_MAX) {
      due.add(job);
      job = walk.next();
    }
    return due;
  }

  /**
   * Returns a drop of the jobs that would end late even alone, at once, on the fastest lane, by the
   * predicted mean; null: there is none.
   */
  static Choice.@Nullable Drop dropLate(SchedulerState state) {
    List<? extends CompatibleSet> sets = state.sets();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      if (set.firstKey(JobOrder.DEADLINE) < earliestEndNs(state, set)) {
        return Choice.drop(due(set, JobOrder.DEADLINE, earliestEndNs(state, set)), "late");
      }
    }
    return null;
  }

  /**
   * Returns when a job of the set that starts now ends on the fastest lane; now if none runs it.
   */
  static long earliestEndNs(SchedulerState state, CompatibleSet set) {
    long leastNs = set.predictedNsMin();
    return leastNs == Long.MAX_VALUE ? state.nowNs() : state.nowNs() + leastNs;
  }

  /** Returns when {@link #dropLate} drops the first job if nothing happens before. */
  static long nextLateNs(SchedulerState state) {
    long nextNs = Long.MAX_VALUE;
    List<? extends CompatibleSet> sets = state.sets();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      long leastNs = earliestEndNs(state, set) - state.nowNs();
      long deadlineNs = set.firstKey(JobOrder.DEADLINE);
      if (deadlineNs < Long.MAX_VALUE) {
        nextNs = Math.min(nextNs, deadlineNs - leastNs + 1);
      }
    }
    return nextNs;
  }

  /**
   * Returns, of the idle lanes on which a job of the group may start, the one that has been idle
   * the longest, of several the first by id; null: there is none.
   */
  static @Nullable Lane longestIdle(SchedulerState state, Group group) {
    return longestIdle(state, group, Long.MAX_VALUE, false);
  }

  /** Returns likewise, of lanes where one job's mean fits and, if asked, its model is loaded. */
  static @Nullable Lane longestIdle(
      SchedulerState state, Group group, long withinNs, boolean mustHold) {
    Lane longest = null;
    List<? extends Lane> idle = state.idleLanes();
    for (int i = 0; i < idle.size(); i++) {
      Lane lane = idle.get(i);
      if ((longest == null || lane.idleSinceNs() < longest.idleSinceNs())
          && (!mustHold || state.isLoaded(group.set(), lane))
          && state.mayStartOn(lane, group)
          && (withinNs == Long.MAX_VALUE
              || state.predictedNs(group, group.samples(), lane) <= withinNs)) {
        longest = lane;
      }
    }
    return longest;
  }

  /** Returns the largest number up to another that fits, where no larger one than a misfit does. */
  static int largest(int most, IntPredicate fits) {
    int fitting = 0;
    int tooLarge = most + 1;
    while (fitting + 1 < tooLarge) {
      int middle = (fitting + tooLarge) >>> 1;
      if (fits.test(middle)) {
        fitting = middle;
      } else {
        tooLarge = middle;
      }
    }
    return fitting;
  }

  /** Returns the first lane, busy or not, that can run the set's model; null: there is none. */
  static @Nullable Lane anyLane(SchedulerState state, CompatibleSet set) {
    List<? extends Lane> lanes = state.lanes();
    for (int i = 0; i < lanes.size(); i++) {
      if (state.canRun(lanes.get(i), set)) {
        return lanes.get(i);
      }
    }
    return null;
  }

  /** Starts the next jobs by an order on a lane, as many as one batch takes. */
  static Choice.Start start(SchedulerState state, Job first, Lane lane, JobOrder order) {
    return start(state, first, lane, order, first.group().set().samplesMax());
  }

  /** Starts the next jobs by an order on a lane, up to a number of samples. */
  static Choice.Start start(
      SchedulerState state, Job first, Lane lane, JobOrder order, int samplesMax) {
    return Choice.start(
        first.group().set().fill(first, lane, order, samplesMax),
        state.lanesFrom(lane, first.group()));
  }

  /**
   * Starts nothing before a time; by the policy's choice if some job could start on an idle lane,
   * else for the first cause that holds up some job.
   */
  static Choice nothingUntil(SchedulerState state, long ns) {
    Cause cause = Cause.LANE;
    if (!state.idleLanes().isEmpty()) {
      cause =
          !mayStartAny(state) && state.nothingStartable() instanceof Choice.Nothing known
              ? known.cause()
              : Cause.POLICY;
    }
    return ns == Long.MAX_VALUE
        ? Choice.nothing(cause)
        : Choice.nothingUntil(Math.max(ns, state.nowNs() + 1), cause);
  }

  private static boolean mayStartAny(SchedulerState state) {
    List<? extends Group> groups = state.groups();
    for (int i = 0; i < groups.size(); i++) {
      Lane lane = state.laneFor(groups.get(i));
      if (lane != null && lane.idle()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the name, in a policy's memory, of a number that belongs to a lane. */
  static String nameOf(String what, Lane lane) {
    return what + "/" + lane.executorId() + "/" + lane.index();
  }
}
