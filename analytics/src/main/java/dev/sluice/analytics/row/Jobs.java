package dev.sluice.analytics.row;

import static java.util.Objects.requireNonNull;

import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.value.JobId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a run requested, by intended arrival, ties by generator, then index.
 *
 * <p>Rows are taken in any order, and have an order of their own once they are {@link #settle
 * settled}. A time that there is not is {@link #NONE}. Not safe for threads while it is written.
 */
public final class Jobs {
  /** A time that there is not. */
  public static final long NONE = Long.MIN_VALUE;

  /** Numbers in ids below which rows are found by place: the most jobs of an experiment. */
  private static final int NUMBERS_MAX = 10_000_000;

  /** Part of the run in which an intended arrival lies; only measured jobs count in figures. */
  public enum JobPhase {
    WARMUP,
    MEASURED,
    TAIL;

    private final String text = name().toLowerCase(Locale.ROOT);

    public String text() {
      return text;
    }
  }

  /** End of a job; OPEN: the log holds no whole account of its end. */
  public enum JobStatus {
    DONE,
    DROPPED,
    FAILED,
    OPEN;

    private final String text = name().toLowerCase(Locale.ROOT);

    public String text() {
      return text;
    }
  }

  /** What jobs of one class and model share. */
  public record JobKind(String classType, String workload, String backend, String precision) {
    /** Compares by hand, as {@link #hashCode} does, since each job looks its kind up. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof JobKind that
          && classType.equals(that.classType)
          && workload.equals(that.workload)
          && backend.equals(that.backend)
          && precision.equals(that.precision);
    }

    @Override
    public int hashCode() {
      int model = 31 * (31 * workload.hashCode() + backend.hashCode()) + precision.hashCode();
      return 31 * model + classType.hashCode();
    }
  }

  /** What figures and tables need of a job: a run has up to a million. */
  public final class JobRow {
    /** Number in the id; below 0: the place among the other ids, from the end. */
    private final int number;

    /** Null: the log does not hold its request. */
    private @Nullable JobKind kind;

    private int generator;
    private int index;
    private int samples;
    private long sloNs;
    private long intendedAtNs;
    private long sentAtNs;
    private int shard;
    private long appendedAtEpochMs;
    private JobEnded.@Nullable Status end;
    private @Nullable String reason;
    private int attempt;
    private long endedAtNs = NONE;
    private @Nullable BatchRow batch;
    private long observedAtEpochMs;

    private JobRow(int number) {
      this.number = number;
    }

    /** True if the log holds the job's request; false for one that a batch alone names. */
    public boolean isRequested() {
      return kind != null;
    }

    public JobKind kind() {
      return requireNonNull(kind);
    }

    /** Place in the run's request list, from 0. */
    public int index() {
      return index;
    }

    public String id() {
      return number < 0 ? otherIds.get(-1 - number) : JobId.of(number);
    }

    public int samples() {
      return samples;
    }

    public long sloNs() {
      return sloNs;
    }

    public long intendedAtNs() {
      return intendedAtNs;
    }

    public long sentAtNs() {
      return sentAtNs;
    }

    /** Send call, less the intended arrival. */
    public long latenessNs() {
      return sentAtNs - intendedAtNs;
    }

    public int shard() {
      return shard;
    }

    /** Time at which the broker appended its request (1 ms resolution). */
    public long appendedAtNs() {
      return sinceZeroNs(appendedAtEpochMs);
    }

    public JobPhase phase() {
      return intendedAtNs < warmupEndNs
          ? JobPhase.WARMUP
          : intendedAtNs < arrivalsEndNs ? JobPhase.MEASURED : JobPhase.TAIL;
    }

    public boolean isMeasured() {
      return phase() == JobPhase.MEASURED;
    }

    /** The job's end: OPEN without an outcome, and where no batch accounts for a done one. */
    public JobStatus status() {
      if (end == null) {
        return JobStatus.OPEN;
      }
      return switch (end) {
        case DONE -> isAccountedFor() ? JobStatus.DONE : JobStatus.OPEN;
        case DROPPED -> JobStatus.DROPPED;
        case FAILED -> JobStatus.FAILED;
      };
    }

    private boolean isAccountedFor() {
      return batch != null && batch.isDispatched() && batch.isDone() && batch.ran();
    }

    public boolean isDone() {
      return end == JobEnded.Status.DONE && isAccountedFor();
    }

    /** Cause of a drop, of a failure or of being open; null if done. */
    public @Nullable String reason() {
      if (end == null) {
        return "no_outcome";
      }
      return status() == JobStatus.OPEN ? "no_completion" : reason;
    }

    /** Count of the job's dispatches; 0 while it has no outcome. */
    public int attempt() {
      return attempt;
    }

    /** Batch that ended the job; null: none did, or the log does not hold its dispatch. */
    public @Nullable BatchRow batch() {
      return batch != null && batch.isDispatched() ? batch : null;
    }

    /** Batch that ended a done job. */
    public BatchRow doneBy() {
      return requireNonNull(batch);
    }

    /** True if a batch ended the job, also if the log does not hold its dispatch. */
    boolean isEndedBy(BatchRow by) {
      return batch == by;
    }

    /** True if the log holds the job's outcome. */
    public boolean isEnded() {
      return end != null;
    }

    /** Log time of the outcome's cause. */
    public long endedAtNs() {
      return endedAtNs;
    }

    /** Time at which the broker appended the outcome. */
    public long observedAtNs() {
      return end == null ? NONE : sinceZeroNs(observedAtEpochMs);
    }

    /** Start of the batch that ended the job. */
    public long startedAtNs() {
      BatchRow by = batch();
      return by == null ? NONE : by.startedAtNs();
    }

    /** End of the batch that ended the job. */
    public long finishedAtNs() {
      BatchRow by = batch();
      return by == null ? NONE : by.finishedAtNs();
    }

    /** Time from intended arrival to start; only for a done job. */
    public long waitNs() {
      return startedAtNs() - intendedAtNs;
    }

    /** Service time of its batch; only for a done job. */
    public long serviceNs() {
      return doneBy().serviceNs();
    }

    /** Part of its batch's service time, by samples; only for a done job. */
    public long serviceShareNs() {
      return Math.round((double) serviceNs() * samples / doneBy().samples());
    }

    /** Time from intended arrival to end; only for a done job. */
    public long endToEndNs() {
      return finishedAtNs() - intendedAtNs;
    }

    /** True if the job took longer than promised or is not done. */
    public boolean isViolation() {
      return !isDone() || endToEndNs() > sloNs;
    }

    /**
     * Time at which the job stopped waiting: its start, else its end, else {@link Long#MAX_VALUE}.
     */
    public long waitedUntilNs() {
      long startedAtNs = startedAtNs();
      return startedAtNs != NONE ? startedAtNs : end != null ? endedAtNs : Long.MAX_VALUE;
    }
  }

  /** All rows; once they are settled the requested ones first, in their order. */
  private final ArrayList<JobRow> rows = new ArrayList<>();

  /** Rows by the number in the id. Other ids are in the map. */
  private @Nullable JobRow[] rowsByNumber = new JobRow[1024];

  private final List<String> otherIds = new ArrayList<>();
  private final Map<String, JobRow> rowsById = new HashMap<>();
  private final Map<Object, Object> shared = new HashMap<>();
  private final Batches batches = new Batches(this);
  private List<JobRow> all = List.of();
  private long zeroEpochMs;
  private long warmupEndNs;
  private long arrivalsEndNs;

  public Batches batches() {
    return batches;
  }

  /** The row of a job, a new one if the job has none. */
  JobRow row(String jobId) {
    int number = JobId.index(jobId);
    if (number < 0 || number >= NUMBERS_MAX) {
      return rowsById.computeIfAbsent(jobId, id -> newRow(id, number));
    }
    if (number >= rowsByNumber.length) {
      rowsByNumber = Arrays.copyOf(rowsByNumber, Math.max(number + 1, 2 * rowsByNumber.length));
    }
    JobRow known = rowsByNumber[number];
    JobRow row = known == null ? newRow(jobId, number) : known;
    rowsByNumber[number] = row;
    return row;
  }

  private JobRow newRow(String jobId, int number) {
    if (number < 0) {
      otherIds.add(jobId);
    }
    var row = new JobRow(number < 0 ? -otherIds.size() : number);
    rows.add(row);
    return row;
  }

  /** The first of the values that equal this one, of which there are few. */
  @SuppressWarnings("unchecked") // equal values are of one type
  <T> T shared(T value) {
    return (T) shared.computeIfAbsent(value, first -> first);
  }

  /** Takes a request, its partition and its append time; a further copy changes nothing. */
  public void take(JobRequested request, int shard, long epochMs) {
    JobRow row = row(request.jobId());
    if (row.kind == null) {
      row.kind =
          shared(
              new JobKind(
                  request.classType(), request.workload(), request.backend(), request.precision()));
      row.generator = request.generator();
      row.index = Math.toIntExact(request.index());
      row.samples = request.samples();
      row.sloNs = request.sloNs();
      row.intendedAtNs = request.intendedAtNs();
      row.sentAtNs = request.sentAtNs();
      row.shard = shard;
      row.appendedAtEpochMs = epochMs;
    }
  }

  /** Takes an outcome; false if the job has one, which then stays. */
  public boolean take(JobEnded end, int shard, long epochMs) {
    JobRow row = row(end.jobId());
    if (row.end != null) {
      return false;
    }
    row.end = end.status();
    row.reason = end.reason() == null ? null : shared(end.reason());
    row.attempt = end.attempt();
    row.endedAtNs = end.endedAtNs();
    row.batch = end.dispatchId() == null ? null : batches.row(shard, end.dispatchId());
    row.observedAtEpochMs = epochMs;
    return true;
  }

  /** Orders the jobs and batches that were read, by time zero and the measured arrivals. */
  public void settle(long zeroEpochMs, long warmupEndNs, long arrivalsEndNs) {
    this.zeroEpochMs = zeroEpochMs;
    this.warmupEndNs = warmupEndNs;
    this.arrivalsEndNs = arrivalsEndNs;
    rows.trimToSize();
    rows.sort(Jobs::compare);
    all = rows.subList(0, (int) rows.stream().filter(JobRow::isRequested).count());
    batches.settle();
  }

  /** Those without a request come last. */
  private static int compare(JobRow one, JobRow other) {
    if (one.isRequested() != other.isRequested()) {
      return one.isRequested() ? -1 : 1;
    }
    int byArrival = Long.compare(one.intendedAtNs, other.intendedAtNs);
    if (byArrival != 0) {
      return byArrival;
    }
    int byGenerator = Integer.compare(one.generator, other.generator);
    return byGenerator != 0 ? byGenerator : Integer.compare(one.index, other.index);
  }

  long sinceZeroNs(long epochMs) {
    return (epochMs - zeroEpochMs) * 1_000_000;
  }

  /** The jobs that the log holds a request of, in their order. */
  public List<JobRow> all() {
    return all;
  }

  /** Number of jobs that are named anywhere, also by batches alone. */
  public int named() {
    return rows.size();
  }
}
