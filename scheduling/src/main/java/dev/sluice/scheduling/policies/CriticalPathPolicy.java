package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.policy.Choice.nothing;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The longest remaining path first, as list schedulers of task graphs do (the upward rank of HEFT:
 * Topcuoglu, Hariri and Wu, 2002), on lanes that hold their models. It departs from these rules:
 *
 * <ul>
 *   <li>A job's rank is its arrival less its path; the lowest rank goes first, so that nobody is
 *       overtaken for ever.
 *   <li>The time in which lanes load a model, and for a gang that in which they fall idle, counts
 *       {@value #LOST_WEIGHT} times against a job: a lane stays with its model until another job is
 *       that much more urgent, and gangs come one after the other.
 *   <li>While the first job of all is a gang whose lanes are not all idle, the lanes that are
 *       expected to fall idle first are kept for it. Gangs begin at multiples of their size, so
 *       that they leave no gaps.
 *   <li>A model of one lane is not loaded onto another lane while the lanes that hold it will have
 *       run all its waiting jobs before the loading would be over.
 * </ul>
 *
 * The policy keeps no tokens for jobs that it passes over: it is made for workflows, whose GPUs
 * have no tokens.
 */
final class CriticalPathPolicy implements SchedulingPolicy {
  private static final int LOST_WEIGHT = 200;

  /**
   * The first job of a group, and where it would start.
   *
   * @param cost cost by which candidates are ordered; the lowest goes first
   * @param waits whether the job has to wait, since its lanes are not all idle
   */
  private record Candidate(Group group, Lane lane, double cost, boolean waits) {
    static Candidate of(Group group, Lane lane, long lostNs, boolean waits) {
      return new Candidate(group, lane, rankNs(group) + (double) LOST_WEIGHT * lostNs, waits);
    }

    boolean isBefore(Candidate that) {
      return cost != that.cost
          ? cost < that.cost
          : JobOrder.PATH.compare(group.first(JobOrder.PATH), that.group.first(JobOrder.PATH)) < 0;
    }

    /** Returns whether one of its lanes is among a number of lanes, counted from a first one. */
    boolean holdsOneOf(Lane first, int lanes) {
      return first.executorId().equals(lane.executorId())
          && first.index() < lane.index() + group.lanesNeeded()
          && lane.index() < first.index() + lanes;
    }
  }

  @Override
  public Needs needs() {
    return Needs.of(JobOrder.PATH, Need.ESTIMATES);
  }

  @Override
  public Choice choose(SchedulerState state) {
    Candidate first = best(state, null);
    Candidate chosen = first != null && first.waits ? best(state, first) : first;
    if (chosen == null) {
      return anyHeldBack(state) ? nothing(Cause.POLICY) : state.nothingStartable();
    }
    Job job = chosen.group.first(JobOrder.PATH);
    return Queues.start(state, job, chosen.lane, JobOrder.PATH);
  }

  private static boolean anyHeldBack(SchedulerState state) {
    for (CompatibleSet set : state.setsThatMayStart()) {
      if (state.firstStartable(set, JobOrder.PATH) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * @param gang gang for which lanes are kept; null: a gang may still be chosen to wait
   */
  private static @Nullable Candidate best(SchedulerState state, @Nullable Candidate gang) {
    Candidate best = null;
    List<? extends CompatibleSet> sets = state.setsThatMayStart();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      if (mayWin(set, best) && state.mayStart(set)) {
        best = bestIn(set, best, state, gang);
      }
    }
    List<? extends CompatibleSet> waiting = gang == null ? state.sets() : List.of();
    for (int i = 0; i < waiting.size(); i++) { // a gang may be chosen to wait
      CompatibleSet set = waiting.get(i);
      if (set.groups().get(0).lanesNeeded() > 1 && mayWin(set, best)) {
        best = bestIn(set, best, state, null);
      }
    }
    return best;
  }

  /** Returns whether a job of the set may come before the best one, as far as its rank says. */
  private static boolean mayWin(CompatibleSet set, @Nullable Candidate best) {
    return best == null || set.firstKey(JobOrder.PATH) <= best.cost; // which is at least the rank
  }

  private static @Nullable Candidate bestIn(
      CompatibleSet set,
      @Nullable Candidate known,
      SchedulerState state,
      @Nullable Candidate gang) {
    Candidate best = known;
    List<? extends Group> groups = set.groups();
    for (int i = 0; i < groups.size(); i++) {
      Group group = groups.get(i);
      if (best == null || rankNs(group) <= best.cost) {
        Candidate candidate = candidate(state, group, gang);
        if (candidate != null && (best == null || candidate.isBefore(best))) {
          best = candidate;
        }
      }
    }
    return best;
  }

  /** Returns the rank of the group's first job. */
  private static double rankNs(Group group) {
    return group.firstKey(JobOrder.PATH);
  }

  private static @Nullable Candidate candidate(
      SchedulerState state, Group group, @Nullable Candidate gang) {
    Lane anyLane = state.laneFor(group);
    if (anyLane != null && !anyLane.idle()) { // none is: it comes behind what a lane holds
      boolean kept = gang != null && gang.holdsOneOf(anyLane, 1);
      return kept ? null : Candidate.of(group, anyLane, 0, false);
    }
    Lane lane = anyLane == null ? null : bestIdle(state, group, gang);
    if (lane != null) {
      long switchNs = state.switchNs(lane, group);
      return switchNs > 0 && group.lanesNeeded() == 1 && othersAreThroughSooner(state, group)
          ? null
          : Candidate.of(group, lane, switchNs, false);
    }
    boolean mayWait =
        gang == null
            && group.lanesNeeded() > 1
            && (anyLane != null || isBlockedByOthers(state, group));
    Lane awaited = mayWait ? state.laneToWaitFor(group) : null;
    return awaited == null
        ? null
        : Candidate.of(
            group,
            awaited,
            state.switchNs(awaited, group) + gatheringNs(state, awaited, group),
            true);
  }

  /** Returns whether the group can start once running batches have ended. */
  private static boolean isBlockedByOthers(SchedulerState state, Group group) {
    Cause cause = state.blockedBy(group);
    return cause == Cause.LANE || cause == Cause.TOKENS;
  }

  /**
   * Finds the lane with the shortest switch on which the group may start; of equal ones, a lane
   * that holds the model, then the lane that has been idle the longest.
   */
  private static @Nullable Lane bestIdle(
      SchedulerState state, Group group, @Nullable Candidate gang) {
    Lane best = null;
    List<? extends Lane> idle = state.idleLanes();
    for (int i = 0; i < idle.size(); i++) {
      Lane lane = idle.get(i);
      if (lane.index() % group.lanesNeeded() == 0
          && state.mayStartOn(lane, group)
          && (gang == null || !gang.holdsOneOf(lane, group.lanesNeeded()))
          && (best == null || isBetter(state, group, lane, best))) {
        best = lane;
      }
    }
    return best;
  }

  private static boolean isBetter(SchedulerState state, Group group, Lane lane, Lane than) {
    long switchNs = state.switchNs(lane, group);
    long thanSwitchNs = state.switchNs(than, group);
    if (switchNs != thanSwitchNs) {
      return switchNs < thanSwitchNs;
    }
    boolean holdsIt = group.workload().equals(lane.resident());
    return holdsIt == group.workload().equals(than.resident())
        ? lane.idleSinceNs() < than.idleSinceNs()
        : holdsIt;
  }

  /**
   * Returns the longest time for which one of the gang's lanes stands idle until the last lane
   * falls idle.
   */
  private static long gatheringNs(SchedulerState state, Lane first, Group gang) {
    long longestNs = 0;
    for (Lane lane : state.lanesFrom(first, gang)) {
      longestNs = Math.max(longestNs, lane.heldNs());
    }
    return longestNs;
  }

  /**
   * Returns whether the busy lanes that hold the model will have run all its waiting jobs before
   * another lane could have loaded it.
   */
  private static boolean othersAreThroughSooner(SchedulerState state, Group group) {
    int holding = 0;
    long meanNs = 0;
    long leastSwitchNs = Long.MAX_VALUE;
    for (Lane lane : state.lanes()) {
      if (state.canRun(lane, group)) {
        if (!group.workload().equals(lane.resident())) {
          leastSwitchNs = Math.min(leastSwitchNs, state.switchNs(lane, group));
        } else if (!lane.idle() && !lane.hangs()) {
          holding++;
          meanNs = Math.max(meanNs, state.predictedNs(group, group.samples(), lane));
        }
      }
    }
    return holding > 0 && (double) group.waiting() * meanNs / holding <= leastSwitchNs;
  }
}
