package dev.sluice.scheduling.state;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.List;

/** A batch that runs or is about to, or one that was lost. */
public final class Batch implements SchedulerState.Running {
  private static final long OVERDUE_NS_MIN = 10_000_000_000L;
  private static final long OVERDUE_PREDICTED_TIMES = 10;

  public final BatchDispatched dispatch;

  /** Jobs of the batch that had not ended when it started or was restored. */
  public final List<QueuedJob> jobs;

  /** First lane of the batch; the other lanes of a gang are the next ones by index. */
  public final ExecutorLane lane;

  public final int lanes;

  final long decidedAtLeaseNs;

  /** Whether the batch was given up, so that its jobs have gone back. */
  public boolean lost;

  /** Whether it was given up since the policy cancelled it. */
  public boolean cancelled;

  public Batch(
      BatchDispatched dispatch, List<QueuedJob> jobs, ExecutorLane lane, long decidedAtLeaseNs) {
    this.dispatch = dispatch;
    this.jobs = jobs;
    this.lane = lane;
    this.lanes = dispatch.lanes().size();
    this.decidedAtLeaseNs = decidedAtLeaseNs;
  }

  /** Returns how long the batch may be first on its lane by the lease clock, loading included. */
  public long allowedNs() {
    long loadNs = lane.executor.loadNs(dispatch.work().model());
    long meanNs = dispatch.prediction().meanNs() + loadNs + heldBackNs();
    return meanNs > Long.MAX_VALUE / (2 * OVERDUE_PREDICTED_TIMES)
        ? Long.MAX_VALUE / 2
        : Math.max(OVERDUE_NS_MIN, OVERDUE_PREDICTED_TIMES * meanNs);
  }

  /** Returns how long after its decision the batch begins at the earliest. */
  long heldBackNs() {
    Long notBeforeNs = dispatch.decision().notBeforeNs();
    return notBeforeNs == null ? 0 : notBeforeNs - dispatch.decidedAtNs();
  }

  @Override
  public JobSet set() {
    return jobs.get(0).group.set;
  }

  @Override
  public List<QueuedJob> jobs() {
    return jobs.stream().filter(job -> job.phase != QueuedJob.Phase.ENDED).toList();
  }

  @Override
  public int samples() {
    return dispatch.samples();
  }

  @Override
  public long decidedAtNs() {
    return dispatch.decidedAtNs();
  }

  public boolean hasUnendedJob() {
    for (int i = 0; i < jobs.size(); i++) {
      if (jobs.get(i).phase != QueuedJob.Phase.ENDED) {
        return true;
      }
    }
    return false;
  }

  public CoreEntity.RunningBatch toEntity() {
    return new CoreEntity.RunningBatch(
        dispatch, jobs().stream().map(QueuedJob::toEntity).toList(), decidedAtLeaseNs);
  }

  public CoreEntity.LostBatch toLostEntity() {
    return new CoreEntity.LostBatch(dispatch, lane.held.contains(this), cancelled);
  }
}
