package dev.sluice.harness.simulate;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.row.BatchColumns;
import dev.sluice.analytics.row.JobColumns;
import dev.sluice.analytics.row.JobKind;
import dev.sluice.analytics.row.JobStatus;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduler.translation.SimulatedLog;
import dev.sluice.scheduler.translation.Translation;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a simulation without records of a log in between: equal to those that the fold makes of
 * the records of {@link SimulatedLog}. What comes seldom goes by way of these. Not safe for
 * threads.
 */
final class SimulatedRows implements SimulationListener {
  private static final long NS_PER_MS = 1_000_000;

  private final RunFold fold;
  private final JobColumns jobs;
  private final BatchColumns batches;
  private final boolean emulated;
  private final SimulationListener others;
  private final Map<Batch, Integer> running = new HashMap<>(); // looked up, never iterated
  private @Nullable Batch completed;
  private int completedRow;

  private record Batch(int shard, DispatchName name) {
    @Override
    public int hashCode() {
      return 31 * name.hashCode() + shard;
    }
  }

  /**
   * @param emulated whether completions hold the intended duration of their batches
   * @param others takes what comes seldom, for the same fold
   */
  SimulatedRows(RunFold fold, boolean emulated, SimulationListener others) {
    this.fold = fold;
    this.emulated = emulated;
    this.others = others;
    jobs = fold.jobs();
    batches = fold.batches();
  }

  private static long epochMs(long appendedAtNs) {
    return SimulatedLog.TIME_ZERO_EPOCH_MS + appendedAtNs / NS_PER_MS;
  }

  @Override
  public void requested(int shard, long appendedAtNs, JobSpec job, long sentAtNs) {
    int row = jobs.row(job.id());
    long atEpochMs = epochMs(appendedAtNs);
    if (!jobs.isRequested(row)) {
      var kind = new JobKind(job.classType(), job.workload(), job.backend(), job.precision());
      jobs.requested(row, kind, job.source(), job.index(), job.samples(), job.sloNs());
      jobs.requestedAt(row, job.intendedAtNs(), sentAtNs, shard, atEpochMs);
    }
    fold.appended(shard, atEpochMs);
  }

  @Override
  public void started(int shard, long appendedAtNs, Dispatch dispatch) {
    DispatchName name = dispatch.name();
    int row = batches.add(shard, name.factId(), name.index());
    running.put(new Batch(shard, name), row);
    JobSpec first = dispatch.jobs().get(0);
    batches.dispatched(
        row,
        new BatchDispatched.Place(dispatch.executorId(), dispatch.incarnation(), dispatch.lanes()),
        new ModelKey(first.workload(), first.backend(), first.precision()),
        dispatch.samples(),
        dispatch.tokens());
    for (JobSpec job : dispatch.jobs()) {
      batches.member(row, jobs.row(job.id()));
    }
    batches.decided(
        row,
        dispatch.attempt(),
        dispatch.decidedAtNs(),
        epochMs(appendedAtNs),
        dispatch.scoreTerms());
    batches.predicted(row, Translation.toEvent(dispatch.prediction()));
  }

  @Override
  public void completed(int shard, long appendedAtNs, CoreFact.BatchCompleted fact, Ran ran) {
    boolean refused = fact.result() == CoreFact.Result.REFUSED;
    long atEpochMs = epochMs(appendedAtNs);
    var batch = new Batch(shard, fact.dispatch());
    int row = row(batch);
    running.remove(batch);
    completed = batch;
    completedRow = row;
    batches.completed(
        row, BatchCompleted.Result.valueOf(fact.result().name()), fact.cause(), atEpochMs);
    batches.ran(
        row,
        refused ? Jobs.NONE : ran.startedAtNs(),
        refused ? Jobs.NONE : ran.endedAtNs(),
        fact.serviceNs(),
        0);
    batches.lane(row, refused || !emulated ? null : ran.workNs(), refused ? null : ran.busyLanes());
    fold.appended(shard, atEpochMs);
  }

  @Override
  public void ended(int shard, long appendedAtNs, JobEnd end) {
    int row = jobs.row(end.jobId());
    DispatchName dispatch = end.dispatch();
    jobs.ended(
        row,
        JobStatus.valueOf(end.status().name()),
        Translation.toEvent(end.reason()),
        dispatch == null ? JobColumns.NONE : row(new Batch(shard, dispatch)),
        end.attempt());
    jobs.endedAt(row, end.endedAtNs(), epochMs(appendedAtNs));
  }

  /** The row of a batch: of one that runs, or nearly always of the one that ended last. */
  private int row(Batch batch) {
    if (batch.equals(completed)) {
      return completedRow;
    }
    Integer row = running.get(batch);
    return row != null
        ? row
        : batches.last(batch.shard(), batch.name().factId(), batch.name().index());
  }

  @Override
  public void reported(
      int shard,
      long appendedAtNs,
      CoreFact.ExecutorReported report,
      List<List<DispatchName>> held) {
    others.reported(shard, appendedAtNs, report, held);
  }

  @Override
  public void appended(int shard, long appendedAtNs, CoreFact fact) {
    others.appended(shard, appendedAtNs, fact);
  }

  @Override
  public void blocked(int shard, long appendedAtNs, long fromNs, long toNs, Cause cause) {
    others.blocked(shard, appendedAtNs, fromNs, toNs, cause);
  }
}
