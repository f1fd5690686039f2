package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Resident;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads of {@link ClockworkPolicy}, one at a time on each lane: the model of the most work that the
 * lanes which hold it cannot do in time. Work is the time of one job alone × 100 ms / the time that
 * the job has. It goes to the lanes that hold its model, more to those with less work, and a lane
 * does 100 ms of it. What was not used for longest makes room, models first for which no job waits
 * (section 5 of the paper, and its LoadTracker).
 */
final class ClockworkLoads {
  /** Span over which work is counted, C in the paper's code. */
  private static final double CAPACITY_NS = 100e6;

  /** Longest time within which a load is to help a job. */
  private static final long HORIZON_NS = 25_000_000;

  /** Time by which a job is to be done before its promise. */
  private static final long BUFFER_NS = 5_000_000;

  /** Time kept between the end of a load and the job's promise, beside the job's own. */
  private static final long LOAD_BUFFER_NS = 15_000_000;

  private ClockworkLoads() {}

  /**
   * Returns the next load on a lane that loads nothing; null: there is none.
   *
   * @param order one that the policy declared
   */
  static Choice.@Nullable Prepare next(SchedulerState state, JobOrder order) {
    List<? extends Lane> lanes = state.lanes();
    for (int i = 0; i < lanes.size(); i++) {
      Lane lane = lanes.get(i);
      if (mayLoad(lane)) {
        Choice.Prepare load = on(state, order, lane);
        if (load != null) {
          return load;
        }
      }
    }
    return null;
  }

  /** Returns whether models come and go on a lane, and none does now. */
  static boolean mayLoad(Lane lane) {
    return lane.freeBytes() < Long.MAX_VALUE && !lane.hangs() && !loads(lane);
  }

  private static boolean loads(Lane lane) {
    for (Resident resident : lane.residents()) {
      if (!resident.isLoaded()) {
        return true;
      }
    }
    return false;
  }

  private static Choice.@Nullable Prepare on(SchedulerState state, JobOrder order, Lane lane) {
    CompatibleSet most = null;
    double mostNs = 0;
    double[] workNs = workOfLanes(state, order);
    for (CompatibleSet set : state.sets()) {
      if (state.resident(set, lane) == null && state.canRun(lane, set)) {
        double leftNs = loadWorkNs(state, order, set, lane) - doneNs(state, order, set, workNs);
        if (leftNs > mostNs) {
          mostNs = leftNs;
          most = set;
        }
      }
    }
    List<Resident> release =
        most == null ? null : release(state, lane, state.memoryBytes(most, lane));
    return most == null || release == null ? null : Choice.prepare(lane, most, release);
  }

  /** Returns the work on each lane of the models that it holds, in the order of the lanes. */
  private static double[] workOfLanes(SchedulerState state, JobOrder order) {
    List<? extends Lane> lanes = state.lanes();
    double[] equal = new double[lanes.size()];
    double[] weighted = new double[lanes.size()];
    for (int pass = 0; pass < 2; pass++) {
      double[] to = pass == 0 ? equal : weighted;
      for (CompatibleSet set : state.sets()) {
        double weights = weights(state, set, pass == 0 ? null : equal);
        for (int i = 0; i < lanes.size() && weights > 0; i++) {
          if (state.resident(set, lanes.get(i)) != null) {
            double weight = pass == 0 ? 1 : weight(equal[i]);
            to[i] += workNs(state, order, set, lanes.get(i)) * weight / weights;
          }
        }
      }
    }
    return weighted;
  }

  private static double weights(
      SchedulerState state, CompatibleSet set, double @Nullable [] workNs) {
    double weights = 0;
    List<? extends Lane> lanes = state.lanes();
    for (int i = 0; i < lanes.size(); i++) {
      if (state.resident(set, lanes.get(i)) != null) {
        weights += workNs == null ? 1 : weight(workNs[i]);
      }
    }
    return weights;
  }

  private static double weight(double workNs) {
    return CAPACITY_NS / Math.max(1, workNs);
  }

  /** Returns how much of a set's work the lanes that hold its model do within the span. */
  private static double doneNs(
      SchedulerState state, JobOrder order, CompatibleSet set, double[] workOfLanesNs) {
    List<? extends Lane> lanes = state.lanes();
    double weights = weights(state, set, workOfLanesNs);
    double doneNs = 0;
    for (int i = 0; i < lanes.size(); i++) {
      if (state.resident(set, lanes.get(i)) != null) {
        double shareNs =
            workNs(state, order, set, lanes.get(i)) * weight(workOfLanesNs[i]) / weights;
        doneNs += CAPACITY_NS * shareNs / Math.max(1, workOfLanesNs[i]);
      }
    }
    return doneNs;
  }

  /** Returns the work of a set's waiting jobs on a lane that holds its model. */
  private static double workNs(SchedulerState state, JobOrder order, CompatibleSet set, Lane lane) {
    double workNs = 0;
    for (Group group : set.groups()) {
      double within = group.first(order).spec().sloNs() - (double) BUFFER_NS;
      workNs += workNs(state, group, lane, within);
    }
    return workNs;
  }

  /** Returns the work of a set's waiting jobs that a load of its model on a lane would serve. */
  private static double loadWorkNs(
      SchedulerState state, JobOrder order, CompatibleSet set, Lane lane) {
    double workNs = 0;
    long loadNs = state.loadNs(set, lane);
    for (Group group : set.groups()) {
      long aloneNs = state.boundNs(set, group.samples(), lane);
      long sloNs = group.first(order).spec().sloNs();
      workNs +=
          workNs(
              state,
              group,
              lane,
              Math.min(HORIZON_NS, sloNs - loadNs - aloneNs - (double) LOAD_BUFFER_NS));
    }
    return workNs;
  }

  private static double workNs(SchedulerState state, Group group, Lane lane, double withinNs) {
    return withinNs <= 0
        ? 0
        : group.waiting()
            * (double) state.boundNs(group.set(), group.samples(), lane)
            * CAPACITY_NS
            / withinNs;
  }

  /** Returns what makes room on a lane; null: nothing does. */
  private static @Nullable List<Resident> release(SchedulerState state, Lane lane, long bytes) {
    List<Resident> release = new ArrayList<>();
    long freeBytes = lane.freeBytes();
    for (boolean wanted : new boolean[] {false, true}) {
      for (Resident resident : lane.residents()) {
        if (freeBytes < bytes
            && resident.isLoaded()
            && !resident.isInUse()
            && isWanted(state, resident) == wanted) {
          release.add(resident);
          freeBytes += resident.bytes();
        }
      }
    }
    return freeBytes < bytes ? null : release;
  }

  /** Returns whether a job of the model waits. */
  private static boolean isWanted(SchedulerState state, Resident resident) {
    for (CompatibleSet set : state.sets()) {
      if (set.hasModelOf(resident)) {
        return true;
      }
    }
    return false;
  }
}
