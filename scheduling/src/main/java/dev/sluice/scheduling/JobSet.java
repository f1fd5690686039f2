package dev.sluice.scheduling;

import dev.sluice.scheduling.CoreSettings.Microbatch;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The groups of equal class, workload, backend and precision, and the filling of their batches. */
final class JobSet implements SchedulerState.CompatibleSet {
  private final Microbatch microbatch;
  private final List<JobGroup> groups = new ArrayList<>();
  private final List<JobGroup> sharing = new ArrayList<>();
  private int waiting;
  private long samples;
  private boolean readyAtIsStale = true;
  private long readyAtNs;

  JobSet(Microbatch microbatch) {
    this.microbatch = microbatch;
  }

  void add(JobGroup group) {
    groups.add(group);
    if (group.shares) {
      sharing.add(group);
    }
  }

  void count(JobGroup group, int change) {
    waiting += change;
    if (group.shares) {
      samples += (long) change * group.samples();
      readyAtIsStale = true;
    }
  }

  @Override
  public int waiting() {
    return waiting;
  }

  @Override
  public long samples() {
    return samples;
  }

  @Override
  public long earliestDeadlineNs() {
    long earliestNs = Long.MAX_VALUE;
    for (JobGroup group : groups) {
      if (group.waiting() > 0) {
        earliestNs = Math.min(earliestNs, group.first(JobOrder.DEADLINE).deadlineNs);
      }
    }
    return earliestNs;
  }

  @Override
  public long readyAtNs() {
    if (readyAtIsStale) {
      readyAtNs = findReadyAtNs();
      readyAtIsStale = false;
    }
    return readyAtNs;
  }

  private long findReadyAtNs() {
    long oldestNs = Long.MAX_VALUE;
    for (JobGroup group : sharing) {
      QueuedJob first = group.list(JobOrder.ENTRY).first(); // append times never go backwards
      if (first != null) {
        oldestNs = Math.min(oldestNs, first.appendedAtNs);
      }
    }
    boolean windowMatters = oldestNs < Long.MAX_VALUE && samples < microbatch.maxBatch();
    return windowMatters ? oldestNs + microbatch.windowNs() : oldestNs;
  }

  @Override
  public List<SchedulerState.Job> fill(
      SchedulerState.Job first, SchedulerState.Lane lane, JobOrder order) {
    return fill((QueuedJob) first, (ExecutorLanes.Lane) lane, order, null);
  }

  @Override
  public List<SchedulerState.Job> fill(
      SchedulerState.Job first, SchedulerState.Lane lane, SchedulerState.Score score) {
    return fill((QueuedJob) first, (ExecutorLanes.Lane) lane, JobOrder.DEADLINE, score);
  }

  private List<SchedulerState.Job> fill(
      QueuedJob first,
      ExecutorLanes.Lane lane,
      JobOrder order,
      SchedulerState.@Nullable Score score) {
    List<SchedulerState.Job> batch = new ArrayList<>();
    batch.add(first);
    if (!first.group.shares) {
      return batch;
    }
    long joined = first.group.samples();
    List<Head> heads = new ArrayList<>(sharing.size());
    for (JobGroup group : sharing) {
      Head head = new Head(group.list(order), first, lane, score);
      if (head.job != null) {
        heads.add(head);
      }
    }
    while (!heads.isEmpty()) {
      Head best = heads.get(0);
      for (int i = 1; i < heads.size(); i++) {
        if (heads.get(i).isBefore(best, order)) {
          best = heads.get(i);
        }
      }
      JobGroup group = best.group();
      long joinedWith = joined + group.samples();
      if (joinedWith > microbatch.maxBatch()
          || group.tokensOf(joinedWith) > lane.executor().freeTokens()) {
        heads.remove(best); // all of its group are as large
        continue;
      }
      batch.add(best.job());
      joined = joinedWith;
      if (!best.advance()) {
        heads.remove(best);
      }
    }
    return batch;
  }

  /** The next job of a group while a batch fills. */
  private static final class Head {
    private final JobList list;
    private final QueuedJob chosen;
    private final ExecutorLanes.Lane lane;
    private final SchedulerState.@Nullable Score score;
    private @Nullable QueuedJob job;
    private double scored;

    Head(
        JobList list,
        QueuedJob chosen,
        ExecutorLanes.Lane lane,
        SchedulerState.@Nullable Score score) {
      this.list = list;
      this.chosen = chosen;
      this.lane = lane;
      this.score = score;
      moveTo(list.first());
    }

    private void moveTo(@Nullable QueuedJob candidate) {
      job = candidate == chosen ? list.after(chosen) : candidate;
      scored = job == null || score == null ? 0 : score.of(job, lane);
    }

    boolean advance() {
      moveTo(list.after(job()));
      return job != null;
    }

    QueuedJob job() {
      if (job == null) {
        throw new IllegalStateException("past the end of its group");
      }
      return job;
    }

    JobGroup group() {
      return job().group;
    }

    boolean isBefore(Head that, JobOrder order) {
      return scored != that.scored ? scored > that.scored : order.compare(job(), that.job()) < 0;
    }
  }
}
