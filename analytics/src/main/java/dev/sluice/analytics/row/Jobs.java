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

  /**
   * What figures and tables need of some thousand jobs, in columns. A run has up to ten million
   * jobs: objects with these fields would be copied by the garbage collector, and then lie in
   * memory in an order in which nothing reads them.
   */
  private static final class Columns {
    static final int ROWS = 4096;

    final Jobs of;

    /** Numbers in ids; below 0: places among the other ids, from the end. */
    final int[] number = new int[ROWS];

    /** Null: the log does not hold the request. */
    final @Nullable JobKind[] kind = new JobKind[ROWS];

    final int[] generator = new int[ROWS];
    final int[] index = new int[ROWS];
    final int[] samples = new int[ROWS];
    final long[] sloNs = new long[ROWS];
    final long[] intendedAtNs = new long[ROWS];
    final long[] sentAtNs = new long[ROWS];
    final int[] shard = new int[ROWS];
    final long[] appendedAtEpochMs = new long[ROWS];
    final JobEnded.@Nullable Status[] end = new JobEnded.Status[ROWS];
    final @Nullable String[] reason = new String[ROWS];
    final int[] attempt = new int[ROWS];
    final long[] endedAtNs = new long[ROWS];
    final @Nullable BatchRow[] batch = new BatchRow[ROWS];
    final long[] observedAtEpochMs = new long[ROWS];

    Columns(Jobs of) {
      this.of = of;
      Arrays.fill(endedAtNs, NONE);
    }
  }

  /** A job: its place in columns. */
  public static final class JobRow {
    private final Columns in;
    private final int at;

    private JobRow(Columns in, int at) {
      this.in = in;
      this.at = at;
    }

    /** True if the log holds the job's request; false for one that a batch alone names. */
    public boolean isRequested() {
      return in.kind[at] != null;
    }

    public JobKind kind() {
      return requireNonNull(in.kind[at]);
    }

    private int generator() {
      return in.generator[at];
    }

    /** Place in the run's request list, from 0. */
    public int index() {
      return in.index[at];
    }

    public String id() {
      return in.number[at] < 0 ? in.of.otherIds.get(-1 - in.number[at]) : JobId.of(in.number[at]);
    }

    public int samples() {
      return in.samples[at];
    }

    public long sloNs() {
      return in.sloNs[at];
    }

    public long intendedAtNs() {
      return in.intendedAtNs[at];
    }

    public long sentAtNs() {
      return in.sentAtNs[at];
    }

    /** Send call, less the intended arrival. */
    public long latenessNs() {
      return in.sentAtNs[at] - in.intendedAtNs[at];
    }

    public int shard() {
      return in.shard[at];
    }

    /** Time at which the broker appended its request (1 ms resolution). */
    public long appendedAtNs() {
      return in.of.sinceZeroNs(in.appendedAtEpochMs[at]);
    }

    public JobPhase phase() {
      return in.intendedAtNs[at] < in.of.warmupEndNs
          ? JobPhase.WARMUP
          : in.intendedAtNs[at] < in.of.arrivalsEndNs ? JobPhase.MEASURED : JobPhase.TAIL;
    }

    public boolean isMeasured() {
      return phase() == JobPhase.MEASURED;
    }

    /** The job's end: OPEN without an outcome, and where no batch accounts for a done one. */
    public JobStatus status() {
      JobEnded.Status end = in.end[at];
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
      BatchRow batch = batch();
      return batch != null && batch.isDone() && batch.ran();
    }

    public boolean isDone() {
      return in.end[at] == JobEnded.Status.DONE && isAccountedFor();
    }

    /** Cause of a drop, of a failure or of being open; null if done. */
    public @Nullable String reason() {
      if (in.end[at] == null) {
        return "no_outcome";
      }
      return status() == JobStatus.OPEN ? "no_completion" : in.reason[at];
    }

    /** Count of the job's dispatches; 0 while it has no outcome. */
    public int attempt() {
      return in.attempt[at];
    }

    /** Batch that ended the job; null: none did, or the log does not hold its dispatch. */
    public @Nullable BatchRow batch() {
      BatchRow batch = in.batch[at];
      return batch != null && batch.isDispatched() ? batch : null;
    }

    /** Batch that ended a done job. */
    public BatchRow doneBy() {
      return requireNonNull(in.batch[at]);
    }

    /** True if a batch ended the job, also if the log does not hold its dispatch. */
    boolean isEndedBy(BatchRow by) {
      return in.batch[at] == by;
    }

    /** True if the log holds the job's outcome. */
    public boolean isEnded() {
      return in.end[at] != null;
    }

    /** Log time of the outcome's cause. */
    public long endedAtNs() {
      return in.endedAtNs[at];
    }

    /** Time at which the broker appended the outcome. */
    public long observedAtNs() {
      return in.end[at] == null ? NONE : in.of.sinceZeroNs(in.observedAtEpochMs[at]);
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
      return startedAtNs() - in.intendedAtNs[at];
    }

    /** Service time of its batch; only for a done job. */
    public long serviceNs() {
      return doneBy().serviceNs();
    }

    /** Part of its batch's service time, by samples; only for a done job. */
    public long serviceShareNs() {
      return Math.round((double) serviceNs() * in.samples[at] / doneBy().samples());
    }

    /** Time from intended arrival to end; only for a done job. */
    public long endToEndNs() {
      return finishedAtNs() - in.intendedAtNs[at];
    }

    /** True if the job took longer than promised or is not done. */
    public boolean isViolation() {
      return !isDone() || endToEndNs() > in.sloNs[at];
    }

    /**
     * Time at which the job stopped waiting: its start, else its end, else {@link Long#MAX_VALUE}.
     */
    public long waitedUntilNs() {
      long startedAtNs = startedAtNs();
      return startedAtNs != NONE
          ? startedAtNs
          : in.end[at] != null ? in.endedAtNs[at] : Long.MAX_VALUE;
    }
  }

  /** All rows; once they are settled the requested ones first, in their order. */
  private final ArrayList<JobRow> rows = new ArrayList<>();

  /** Columns that further rows go into. */
  private Columns last = new Columns(this);

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
    int at = rows.size() % Columns.ROWS;
    if (at == 0 && !rows.isEmpty()) {
      last = new Columns(this);
    }
    last.number[at] = number < 0 ? -otherIds.size() : number;
    var row = new JobRow(last, at);
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
    Columns in = row.in;
    int at = row.at;
    if (in.kind[at] == null) {
      in.kind[at] =
          shared(
              new JobKind(
                  request.classType(), request.workload(), request.backend(), request.precision()));
      in.generator[at] = request.generator();
      in.index[at] = Math.toIntExact(request.index());
      in.samples[at] = request.samples();
      in.sloNs[at] = request.sloNs();
      in.intendedAtNs[at] = request.intendedAtNs();
      in.sentAtNs[at] = request.sentAtNs();
      in.shard[at] = shard;
      in.appendedAtEpochMs[at] = epochMs;
    }
  }

  /** Takes an outcome; false if the job has one, which then stays. */
  public boolean take(JobEnded end, int shard, long epochMs) {
    JobRow row = row(end.jobId());
    Columns in = row.in;
    int at = row.at;
    if (in.end[at] != null) {
      return false;
    }
    in.end[at] = end.status();
    in.reason[at] = end.reason() == null ? null : shared(end.reason());
    in.attempt[at] = end.attempt();
    in.endedAtNs[at] = end.endedAtNs();
    in.batch[at] = end.dispatchId() == null ? null : batches.row(shard, end.dispatchId());
    in.observedAtEpochMs[at] = epochMs;
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
    int byArrival = Long.compare(one.intendedAtNs(), other.intendedAtNs());
    if (byArrival != 0) {
      return byArrival;
    }
    int byGenerator = Integer.compare(one.generator(), other.generator());
    return byGenerator != 0 ? byGenerator : Integer.compare(one.index(), other.index());
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
