package dev.sluice.harness.simulate;

import static java.util.Objects.requireNonNull;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.row.BatchColumns;
import dev.sluice.analytics.row.JobColumns;
import dev.sluice.analytics.row.JobKind;
import dev.sluice.analytics.row.JobStatus;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.scheduler.translation.SimulatedLog;
import dev.sluice.scheduler.translation.Translation;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.job.JobName;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
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

  private static final Map<CoreFact.Result, BatchCompleted.Result> RESULTS =
      new EnumMap<>(CoreFact.Result.class);

  private static final Map<JobEnd.Status, JobStatus> STATUSES = new EnumMap<>(JobEnd.Status.class);

  static {
    for (CoreFact.Result result : CoreFact.Result.values()) {
      RESULTS.put(result, BatchCompleted.Result.valueOf(result.name()));
    }
    for (JobEnd.Status status : JobEnd.Status.values()) {
      STATUSES.put(status, JobStatus.valueOf(status.name()));
    }
  }

  private final RunFold fold;
  private final JobColumns jobs;
  private final BatchColumns batches;
  private final boolean emulated;
  private final SimulationListener others;
  private final RequestList requests;

  /** Numbers of the kinds of requests among those of jobs, and those of models; below 0: none. */
  private final int[] kindNumbers;

  private final int[] modelNumbers;

  /** Lanes by shard and index; a batch on several of them is at the first one. */
  private final Lane[][] lanes;

  private @Nullable DispatchName completed;
  private int completedShard;
  private int completedRow;

  /** A batch that runs, with its row. */
  private record Running(DispatchName name, int row) {}

  /** A lane with its batches, of which all but one wait there, and where the last one ran. */
  private static final class Lane {
    final List<Running> batches = new ArrayList<>();
    BatchDispatched.@Nullable Place place;
    int placeNumber;
  }

  /**
   * @param experiment whose lanes say the intended duration of their batches if they are emulated
   * @param requests list that the simulation's jobs come from
   * @param others takes what comes seldom, for the same fold
   */
  SimulatedRows(
      RunFold fold, Experiment experiment, RequestList requests, SimulationListener others) {
    this.fold = fold;
    this.requests = requests;
    this.others = others;
    emulated = experiment.lanes().emulated();
    jobs = fold.jobs();
    batches = fold.batches();
    kindNumbers = new int[requests.kinds().size()];
    Arrays.fill(kindNumbers, JobColumns.NONE);
    modelNumbers = kindNumbers.clone();
    lanes = new Lane[experiment.kafka().shards()][experiment.lanes().count()];
    for (Lane[] ofShard : lanes) {
      Arrays.setAll(ofShard, lane -> new Lane());
    }
  }

  private static long epochMs(long appendedAtNs) {
    return SimulatedLog.TIME_ZERO_EPOCH_MS + appendedAtNs / NS_PER_MS;
  }

  @Override
  public void requested(int shard, long appendedAtNs, JobSpec job, long sentAtNs) {
    int row = row(job.name());
    long atEpochMs = epochMs(appendedAtNs);
    if (!jobs.isRequested(row)) {
      jobs.requested(row, kindNumber(job), job.source(), job.index(), job.samples(), job.sloNs());
      jobs.requestedAt(row, job.intendedAtNs(), sentAtNs, shard, atEpochMs);
      requests.digestThrough((int) job.index()); // this thread waits for the simulation anyway
    }
    fold.appended(shard, atEpochMs);
  }

  /** The row of a job, without making a text of its number. */
  private int row(JobName job) {
    return job.isNumbered() ? jobs.row((int) job.number()) : jobs.row(job.text());
  }

  private int kindNumber(JobSpec job) {
    int kind = requests.kindNumber((int) job.index());
    if (kindNumbers[kind] < 0) {
      kindNumbers[kind] =
          jobs.kindNumber(
              new JobKind(job.classType(), job.workload(), job.backend(), job.precision()));
    }
    return kindNumbers[kind];
  }

  private int modelNumber(JobSpec first) {
    int kind = requests.kindNumber((int) first.index());
    if (modelNumbers[kind] < 0) {
      modelNumbers[kind] =
          batches.modelNumber(new ModelKey(first.workload(), first.backend(), first.precision()));
    }
    return modelNumbers[kind];
  }

  private int placeNumber(Lane lane, Dispatch.Place where) {
    BatchDispatched.Place place = lane.place;
    if (place == null
        || place.incarnation() != where.incarnation()
        || !place.executorId().equals(where.executorId())
        || !place.lanes().equals(where.lanes())) {
      place = new BatchDispatched.Place(where.executorId(), where.incarnation(), where.lanes());
      lane.place = place;
      lane.placeNumber = batches.placeNumber(place);
    }
    return lane.placeNumber;
  }

  @Override
  public void started(int shard, long appendedAtNs, Dispatch dispatch) {
    DispatchName name = dispatch.name();
    int row = batches.add(shard, name.factId(), name.index());
    Lane lane = lanes[shard][dispatch.lanes().get(0)];
    lane.batches.add(new Running(name, row));
    batches.dispatched(
        row,
        placeNumber(lane, dispatch.place()),
        modelNumber(dispatch.jobs().get(0)),
        dispatch.samples(),
        dispatch.tokens());
    for (JobSpec job : dispatch.jobs()) {
      batches.member(row, row(job.name()));
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
    int row = end(lanes[shard][fact.lane()], shard, fact.dispatch());
    completed = fact.dispatch();
    completedShard = shard;
    completedRow = row;
    batches.completed(row, requireNonNull(RESULTS.get(fact.result())), fact.cause(), atEpochMs);
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
    int row = row(end.job());
    DispatchName dispatch = end.dispatch();
    jobs.ended(
        row,
        requireNonNull(STATUSES.get(end.status())),
        Translation.toEvent(end.reason()),
        dispatch == null ? JobColumns.NONE : row(shard, dispatch),
        end.attempt());
    jobs.endedAt(row, end.endedAtNs(), epochMs(appendedAtNs));
  }

  /** Takes a batch off its lane, and returns its row. */
  private int end(Lane lane, int shard, DispatchName name) {
    List<Running> running = lane.batches;
    for (int i = 0; i < running.size(); i++) {
      if (running.get(i).name().equals(name)) {
        return running.remove(i).row();
      }
    }
    return batches.last(shard, name.factId(), name.index());
  }

  /** The row of a batch that ended a job: nearly always of the one that ended last. */
  private int row(int shard, DispatchName name) {
    return shard == completedShard && name.equals(completed)
        ? completedRow
        : batches.last(shard, name.factId(), name.index());
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
