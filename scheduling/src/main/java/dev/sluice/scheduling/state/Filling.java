package dev.sluice.scheduling.state;

import static java.util.Objects.requireNonNull;

import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The next jobs of some groups while a batch fills, the best of them first. One is used for all
 * batches of a set, so that filling a batch makes no object for each group.
 */
final class Filling {
  private Head[] heads = {};
  private int count;

  /** Head whose job came last; null: none did. */
  private @Nullable Head best;

  /** The next job of a group. */
  private static final class Head {
    private final JobList.Walk walk = new JobList.Walk();
    private @Nullable QueuedJob chosen;
    private @Nullable ExecutorLane lane;
    private SchedulerState.@Nullable Score score;
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
    boolean isBefore(Head that, JobOrder order) {
      if (scored != that.scored) {
        return scored > that.scored;
      }
      return key != that.key
          ? key < that.key
          : order.compare(requireNonNull(job), requireNonNull(that.job)) < 0;
    }
  }

  /** Begins with another batch, of no groups yet. */
  void begin() {
    count = 0;
    best = null;
  }

  /**
   * Adds the jobs of a group.
   *
   * @param chosen job that is in the batch already
   * @param score score of the group's jobs, which comes before their order; null: none
   */
  void add(
      JobList jobs, QueuedJob chosen, ExecutorLane lane, SchedulerState.@Nullable Score score) {
    if (count == heads.length) {
      heads = Arrays.copyOf(heads, count + 1);
      heads[count] = new Head();
    }
    Head head = heads[count++];
    head.walk.begin(jobs);
    head.chosen = chosen;
    head.lane = lane;
    head.score = score;
    head.advance();
  }

  /** Returns the next job of all groups; null: none is left. */
  @Nullable QueuedJob next(JobOrder order) {
    Head found = null;
    for (int i = 0; i < count; i++) {
      Head head = heads[i];
      if (head.job != null && (found == null || head.isBefore(found, order))) {
        found = head;
      }
    }
    best = found;
    return found == null ? null : found.job;
  }

  /** Goes on from the job that came last to the next one of its group. */
  void advance() {
    requireNonNull(best, "no job came").advance();
  }

  /** Leaves out all further jobs of the group whose job came last. */
  void skip() {
    requireNonNull(best, "no job came").job = null;
  }
}
