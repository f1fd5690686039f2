package dev.sluice.analytics.row;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.value.JobId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a run requested, by intended arrival, ties by generator, then index. A job is a
 * number: {@code for (int i = 0; i < jobs.size(); i++) { int job = jobs.at(i); … }}.
 *
 * <p>Rows are taken in any order, and have an order of their own once they are {@link #settle
 * settled}. A time that there is not is {@link #NONE}. Not safe for threads while it is written.
 */
public final class Jobs {
  /** A time that there is not. */
  public static final long NONE = Long.MIN_VALUE;

  /** Numbers in ids below which rows are found by place: the most jobs of an experiment. */
  private static final int NUMBERS_MAX = 10_000_000;

  /** A batch that there is not. */
  public static final int NO_BATCH = -1;

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

  /** What figures and tables need of a job: a run has up to a million. */
  private static final class Row {
    /** Number in the id; below 0: the place among the other ids, from the end. */
    final int number;

    /** Null: the log does not hold its request. */
    @Nullable JobKind kind;

    int generator;
    int index;
    int samples;
    long sloNs;
    long intendedAtNs;
    long sentAtNs;
    int shard;
    long appendedAtEpochMs;
    JobEnded.@Nullable Status end;
    @Nullable String reason;
    int attempt;
    long endedAtNs = NONE;
    int batch = NO_BATCH;
    long observedAtEpochMs;

    Row(int number) {
      this.number = number;
    }
  }

  /** What jobs of one class and model share. */
  public record JobKind(String classType, String workload, String backend, String precision) {}

  private final ArrayList<Row> rows = new ArrayList<>();

  /** Rows by the number in the id, from 1; 0: none. Other ids are in the map. */
  private int[] rowsByNumber = new int[1024];

  private final List<String> otherIds = new ArrayList<>();
  private final Map<String, Integer> rowsById = new HashMap<>();
  private final Map<Object, Object> shared = new HashMap<>();
  private final Batches batches = new Batches(this);
  private int[] order = {};
  private long zeroEpochMs;
  private long warmupEndNs;
  private long arrivalsEndNs;

  public Batches batches() {
    return batches;
  }

  /** The row of a job, a new one if the job has none. */
  int row(String jobId) {
    int number = JobId.index(jobId);
    if (number < 0 || number >= NUMBERS_MAX) {
      return rowsById.computeIfAbsent(jobId, this::newRow);
    }
    if (number >= rowsByNumber.length) {
      rowsByNumber = Arrays.copyOf(rowsByNumber, Math.max(number + 1, 2 * rowsByNumber.length));
    }
    if (rowsByNumber[number] == 0) {
      rowsByNumber[number] = newRow(jobId) + 1;
    }
    return rowsByNumber[number] - 1;
  }

  private int newRow(String jobId) {
    int number = JobId.index(jobId);
    if (number < 0) {
      otherIds.add(jobId);
    }
    rows.add(new Row(number < 0 ? -otherIds.size() : number));
    return rows.size() - 1;
  }

  /** The first of the values that equal this one, of which there are few. */
  @SuppressWarnings("unchecked") // equal values are of one type
  <T> T shared(T value) {
    return (T) shared.computeIfAbsent(value, first -> first);
  }

  /** Takes a request, its partition and its append time; a further copy changes nothing. */
  public void take(JobRequested request, int shard, long epochMs) {
    Row row = rows.get(row(request.jobId()));
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
    Row row = rows.get(row(end.jobId()));
    if (row.end != null) {
      return false;
    }
    row.end = end.status();
    row.reason = end.reason() == null ? null : shared(end.reason());
    row.attempt = end.attempt();
    row.endedAtNs = end.endedAtNs();
    row.batch = end.dispatchId() == null ? NO_BATCH : batches.row(shard, end.dispatchId());
    row.observedAtEpochMs = epochMs;
    return true;
  }

  /** Orders the jobs and batches that were read, by time zero and the measured arrivals. */
  public void settle(long zeroEpochMs, long warmupEndNs, long arrivalsEndNs) {
    this.zeroEpochMs = zeroEpochMs;
    this.warmupEndNs = warmupEndNs;
    this.arrivalsEndNs = arrivalsEndNs;
    rows.trimToSize();
    order =
        Batches.ordered(
            IntStream.range(0, rows.size()).filter(this::isRequested),
            Comparator.comparing(
                rows::get,
                Comparator.<Row>comparingLong(row -> row.intendedAtNs)
                    .thenComparingInt(row -> row.generator)
                    .thenComparingInt(row -> row.index)));
    batches.settle();
  }

  long sinceZeroNs(long epochMs) {
    return (epochMs - zeroEpochMs) * 1_000_000;
  }

  public int size() {
    return order.length;
  }

  public boolean isEmpty() {
    return order.length == 0;
  }

  /** The job at a place of the order, from 0. */
  public int at(int place) {
    return order[place];
  }

  /** Number of jobs that are named anywhere, also by batches alone. */
  public int named() {
    return rows.size();
  }

  /** True if the log holds the job's request; false for one that a batch alone names. */
  public boolean isRequested(int job) {
    return rows.get(job).kind != null;
  }

  public JobKind kind(int job) {
    return requireNonNull(rows.get(job).kind);
  }

  /** Place in the run's request list, from 0. */
  public int index(int job) {
    return rows.get(job).index;
  }

  public String id(int job) {
    int number = rows.get(job).number;
    return number < 0 ? otherIds.get(-1 - number) : JobId.of(number);
  }

  public int samples(int job) {
    return rows.get(job).samples;
  }

  public long sloNs(int job) {
    return rows.get(job).sloNs;
  }

  public long intendedAtNs(int job) {
    return rows.get(job).intendedAtNs;
  }

  public long sentAtNs(int job) {
    return rows.get(job).sentAtNs;
  }

  /** Send call, less the intended arrival. */
  public long latenessNs(int job) {
    return sentAtNs(job) - intendedAtNs(job);
  }

  public int shard(int job) {
    return rows.get(job).shard;
  }

  /** Time at which the broker appended its request (1 ms resolution). */
  public long appendedAtNs(int job) {
    return sinceZeroNs(rows.get(job).appendedAtEpochMs);
  }

  public JobPhase phase(int job) {
    long atNs = intendedAtNs(job);
    return atNs < warmupEndNs
        ? JobPhase.WARMUP
        : atNs < arrivalsEndNs ? JobPhase.MEASURED : JobPhase.TAIL;
  }

  public boolean isMeasured(int job) {
    return phase(job) == JobPhase.MEASURED;
  }

  /** The job's end: OPEN without an outcome, and where no batch accounts for a done one. */
  public JobStatus status(int job) {
    Row row = rows.get(job);
    if (row.end == null) {
      return JobStatus.OPEN;
    }
    return switch (row.end) {
      case DONE -> isAccountedFor(row.batch) ? JobStatus.DONE : JobStatus.OPEN;
      case DROPPED -> JobStatus.DROPPED;
      case FAILED -> JobStatus.FAILED;
    };
  }

  private boolean isAccountedFor(int batch) {
    return batch >= 0 && batches.isDispatched(batch) && batches.isDone(batch) && batches.ran(batch);
  }

  public boolean isDone(int job) {
    return status(job) == JobStatus.DONE;
  }

  /** Cause of a drop, of a failure or of being open; null if done. */
  public @Nullable String reason(int job) {
    if (!isEnded(job)) {
      return "no_outcome";
    }
    return status(job) == JobStatus.OPEN ? "no_completion" : rows.get(job).reason;
  }

  /** Count of the job's dispatches; 0 while it has no outcome. */
  public int attempt(int job) {
    return rows.get(job).attempt;
  }

  /** Batch that ended the job; below 0: none did, or the log does not hold its dispatch. */
  public int batch(int job) {
    int batch = rows.get(job).batch;
    return batch >= 0 && batches.isDispatched(batch) ? batch : NO_BATCH;
  }

  /** True if a batch ended the job, also if the log does not hold its dispatch. */
  boolean isEndedBy(int job, int batch) {
    return rows.get(job).batch == batch;
  }

  /** True if the log holds the job's outcome. */
  public boolean isEnded(int job) {
    return rows.get(job).end != null;
  }

  /** Log time of the outcome's cause. */
  public long endedAtNs(int job) {
    return rows.get(job).endedAtNs;
  }

  /** Time at which the broker appended the outcome. */
  public long observedAtNs(int job) {
    return isEnded(job) ? sinceZeroNs(rows.get(job).observedAtEpochMs) : NONE;
  }

  /** Start of the batch that ended the job. */
  public long startedAtNs(int job) {
    int batch = batch(job);
    return batch < 0 ? NONE : batches.startedAtNs(batch);
  }

  /** End of the batch that ended the job. */
  public long finishedAtNs(int job) {
    int batch = batch(job);
    return batch < 0 ? NONE : batches.finishedAtNs(batch);
  }

  /** Time from intended arrival to start; only for a done job. */
  public long waitNs(int job) {
    return startedAtNs(job) - intendedAtNs(job);
  }

  /** Service time of its batch; only for a done job. */
  public long serviceNs(int job) {
    return batches.serviceNs(batch(job));
  }

  /** Part of its batch's service time, by samples; only for a done job. */
  public long serviceShareNs(int job) {
    return Math.round((double) serviceNs(job) * samples(job) / batches.samples(batch(job)));
  }

  /** Time from intended arrival to end; only for a done job. */
  public long endToEndNs(int job) {
    return finishedAtNs(job) - intendedAtNs(job);
  }

  /** True if the job took longer than promised or is not done. */
  public boolean isViolation(int job) {
    return !isDone(job) || endToEndNs(job) > sloNs(job);
  }

  /**
   * Time at which the job stopped waiting: its start, else its end, else {@link Long#MAX_VALUE}.
   */
  public long waitedUntilNs(int job) {
    long startedAtNs = startedAtNs(job);
    if (startedAtNs != NONE) {
      return startedAtNs;
    }
    return isEnded(job) ? endedAtNs(job) : Long.MAX_VALUE;
  }
}
