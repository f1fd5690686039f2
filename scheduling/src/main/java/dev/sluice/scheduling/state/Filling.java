package dev.sluice.scheduling.state;

import static java.util.Objects.requireNonNull;

import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.prediction.ModelTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fills a batch with the next jobs of some groups, the best of them first. One is used for all
 * batches of a set, so that filling a batch makes no object for each group.
 */
final class Filling {
  private final Microbatch microbatch;
  private Head[] heads = {};
  private int count;

  // of the batch at hand

  private @Nullable QueuedJob chosen;
  private @Nullable ExecutorLane lane;
  private JobOrder order = JobOrder.ENTRY;
  private SchedulerState.@Nullable Score score;
  private long nowNs;
  private int samplesMax;

  Filling(Microbatch microbatch) {
    this.microbatch = microbatch;
  }

  /**
   * Begins with another batch, of no groups yet.
   *
   * @param first job that is in the batch already
   * @param most most samples in the batch
   * @param by score of jobs, which comes before their order; null: none
   */
  void begin(
      QueuedJob first,
      ExecutorLane on,
      JobOrder inOrder,
      SchedulerState.@Nullable Score by,
      long atNs,
      int most) {
    samplesMax = most;
    chosen = first;
    lane = on;
    order = inOrder;
    score = by;
    nowNs = atNs;
    count = 0;
  }

  /** Adds the jobs of a group. */
  void add(JobGroup group) {
    if (count == heads.length) {
      heads = Arrays.copyOf(heads, count + 1);
      heads[count] = new Head();
    }
    Head head = heads[count++];
    head.walk.begin(group.list(order));
    head.advance();
  }

  /**
   * Returns the batch: its first job, and as many others as samples, tokens and deadlines allow.
   */
  List<SchedulerState.Job> fill() {
    QueuedJob first = requireNonNull(chosen, "no batch was begun");
    ExecutorLane on = requireNonNull(lane);
    List<SchedulerState.Job> batch = new ArrayList<>();
    batch.add(first);
    long joined = first.group.samples();
    long freeTokens = on.executor().freeTokens(first.group, nowNs);
    ModelTimes model = first.group.modelOn(on.executor());
    Deadlines deadlines =
        microbatch.respectDeadlines() && model != null
            ? new Deadlines(first, model, on, nowNs)
            : null;
    for (Head best = best(); best != null; best = best()) {
      QueuedJob next = requireNonNull(best.job);
      long joinedWith = joined + next.group.samples();
      if (joinedWith > samplesMax
          || next.group.tokensOf(joinedWith) > freeTokens
          || (deadlines != null && !deadlines.allow(next, joinedWith))) {
        best.job = null; // all of its group are as large, and no sooner due
      } else {
        batch.add(next);
        if (deadlines != null) {
          deadlines.joined(next, joinedWith);
        }
        joined = joinedWith;
        best.advance();
      }
    }
    return batch;
  }

  /** Returns the group with the next job; null: none is left. */
  private @Nullable Head best() {
    Head best = null;
    for (int i = 0; i < count; i++) {
      Head head = heads[i];
      if (head.job != null && (best == null || head.isBefore(best))) {
        best = head;
      }
    }
    return best;
  }

  /** The next job of a group. */
  private final class Head {
    private final JobList.Walk walk = new JobList.Walk();
    private double scored;

    /** What the next job is ordered by. */
    private long key;

    /** Next job; null: no job of the group is left, or none would fit. */
    private @Nullable QueuedJob job;

    void advance() {
      QueuedJob next = walk.next();
      job = next == chosen ? walk.next() : next;
      if (job != null) {
        key = walk.key();
        scored = score == null || lane == null ? 0 : score.of(job, lane);
      }
    }

    /** Returns whether it comes before another head; both have a job. */
    boolean isBefore(Head that) {
      if (scored != that.scored) {
        return scored > that.scored;
      }
      return key != that.key
          ? key < that.key
          : order.compare(requireNonNull(job), requireNonNull(that.job)) < 0;
    }
  }

  /**
   * Keeps a batch from growing if that would make a member miss a deadline that it would meet in
   * the batch as it is, or alone, by the upper bound of the service time. Members that would miss
   * their deadline anyway do not limit the batch.
   */
  private static final class Deadlines {
    private final ModelTimes model;
    private final int busyLanes;
    private final long startNs;

    /** The earliest deadline of the members that would meet theirs. */
    private long earliestMetNs;

    /**
     * @param lane where the batch starts, after what it holds already
     */
    Deadlines(QueuedJob first, ModelTimes model, ExecutorLane lane, long nowNs) {
      this.model = model;
      this.busyLanes = lane.executor().busyLanesWith(lane, first.group.lanesNeeded());
      this.startNs = lane.held().isEmpty() ? nowNs : Math.max(nowNs, lane.expectedFreeAtNs());
      this.earliestMetNs = Long.MAX_VALUE;
      joined(first, first.group.samples());
    }

    /** Returns whether the job may join the members, given their samples together with it. */
    boolean allow(QueuedJob next, long samples) {
      long endNs = endNs(samples);
      boolean nextWouldMiss =
          endNs > next.deadlineNs && endNs(next.group.samples()) <= next.deadlineNs;
      return endNs <= earliestMetNs && !nextWouldMiss;
    }

    /** Makes the job a member; the samples are those of all members together. */
    void joined(QueuedJob job, long samples) {
      if (endNs(samples) <= job.deadlineNs) {
        earliestMetNs = Math.min(earliestMetNs, job.deadlineNs);
      }
    }

    private long endNs(long samples) {
      return startNs + model.boundNs(Math.toIntExact(samples), busyLanes);
    }
  }
}
