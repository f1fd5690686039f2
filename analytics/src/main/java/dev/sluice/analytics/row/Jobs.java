package dev.sluice.analytics.row;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a run requested, by intended arrival, ties by generator, then index. A job is a
 * number: {@code for (int i = 0; i < jobs.size(); i++) { int job = jobs.at(i); … }}.
 *
 * <p>A time that there is not is {@link #NONE}.
 */
public final class Jobs {
  /** A time that there is not. */
  public static final long NONE = Long.MIN_VALUE;

  /** What jobs have in common with many others. */
  public record JobKind(String classType, String workload, String backend, String precision) {}

  /** Part of the run in which an intended arrival lies; only measured jobs count in figures. */
  public enum JobPhase {
    WARMUP,
    MEASURED,
    TAIL;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The phase as tables hold it. */
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

    /** The status as tables hold it. */
    public String text() {
      return text;
    }
  }

  private final JobColumns columns;
  private final Batches batches;
  private final long zeroEpochMs;
  private final long warmupEndNs;
  private final long arrivalsEndNs;

  /** Jobs in order; null: all rows, as they are. */
  private final int @Nullable [] order;

  private final int size;

  /**
   * Jobs as they were read so far.
   *
   * @param zeroEpochMs time zero
   * @param warmupEndNs beginning of the measured arrivals
   * @param arrivalsEndNs end of the measured arrivals
   */
  public Jobs(
      JobColumns columns, Batches batches, long zeroEpochMs, long warmupEndNs, long arrivalsEndNs) {
    this.columns = columns;
    this.batches = batches;
    this.zeroEpochMs = zeroEpochMs;
    this.warmupEndNs = warmupEndNs;
    this.arrivalsEndNs = arrivalsEndNs;
    order = isInOrder() ? null : order();
    size = order == null ? columns.size() : order.length;
  }

  private boolean isInOrder() {
    int rows = columns.size();
    long beforeNs = Long.MIN_VALUE;
    for (int row = 0; row < rows; row++) {
      long atNs = columns.intendedAtNs.get(row);
      if (!columns.isRequested(row)
          || atNs < beforeNs
          || (atNs == beforeNs && row > 0 && compare(row - 1, row) > 0)) {
        return false;
      }
      beforeNs = atNs;
    }
    return true;
  }

  private int[] order() {
    return IntStream.range(0, columns.size())
        .filter(columns::isRequested)
        .boxed()
        .sorted(this::compare)
        .mapToInt(row -> row)
        .toArray();
  }

  private int compare(int row, int other) {
    int by = Long.compare(columns.intendedAtNs.get(row), columns.intendedAtNs.get(other));
    by = by != 0 ? by : Integer.compare(columns.generator.get(row), columns.generator.get(other));
    return by != 0 ? by : Long.compare(index(row), index(other));
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** The job at a place of the order, from 0. */
  public int at(int place) {
    return order == null ? place : order[place];
  }

  /** Number of jobs that are named anywhere, also by batches alone. */
  public int named() {
    return columns.size();
  }

  /** True if the log holds the job's request; false for one that a batch alone names. */
  public boolean isRequested(int job) {
    return columns.isRequested(job);
  }

  public String id(int job) {
    return columns.ids.text(job);
  }

  /** Number of the job's kind in {@link #kinds()}. */
  public int kindNumber(int job) {
    return columns.kind.get(job);
  }

  /** Kinds of jobs by their numbers, in the order in which they were first read. */
  public List<JobKind> kinds() {
    return columns.kinds.values();
  }

  public JobKind kind(int job) {
    return columns.kinds.get(columns.kind.get(job));
  }

  public long index(int job) {
    return columns.index.get(job);
  }

  public int samples(int job) {
    return columns.samples.get(job);
  }

  public long sloNs(int job) {
    return columns.sloNs.get(job);
  }

  public long intendedAtNs(int job) {
    return columns.intendedAtNs.get(job);
  }

  public long sentAtNs(int job) {
    return columns.intendedAtNs.get(job) + columns.latenessNs.get(job);
  }

  /** Send call, less the intended arrival. */
  public long latenessNs(int job) {
    return columns.latenessNs.get(job);
  }

  /** Partition of its request. */
  public int shard(int job) {
    return columns.shard.get(job);
  }

  /** Time at which the broker appended its request (1 ms resolution). */
  public long appendedAtNs(int job) {
    return Batches.sinceZeroNs(columns.appendedAtEpochMs.get(job), zeroEpochMs);
  }

  public JobPhase phase(int job) {
    long atNs = intendedAtNs(job);
    return atNs < warmupEndNs
        ? JobPhase.WARMUP
        : atNs < arrivalsEndNs ? JobPhase.MEASURED : JobPhase.TAIL;
  }

  public boolean isMeasured(int job) {
    long atNs = intendedAtNs(job);
    return warmupEndNs <= atNs && atNs < arrivalsEndNs;
  }

  /** The job's end: OPEN without an outcome, and where no batch accounts for a done one. */
  public JobStatus status(int job) {
    JobStatus said = columns.statusSaid(job);
    return said != JobStatus.DONE || isAccountedFor(job) ? said : JobStatus.OPEN;
  }

  private boolean isAccountedFor(int job) {
    int batch = columns.batch.get(job);
    return batch >= 0 && batches.isDispatched(batch) && batches.isDone(batch) && batches.ran(batch);
  }

  public boolean isDone(int job) {
    return status(job) == JobStatus.DONE;
  }

  public boolean isFailed(int job) {
    return columns.statusSaid(job) == JobStatus.FAILED;
  }

  /** Cause of a drop, of a failure or of being open; null if done. */
  public @Nullable String reason(int job) {
    if (status(job) == JobStatus.OPEN) {
      return columns.isEnded(job) ? "no_completion" : "no_outcome";
    }
    return columns.reasonSaid(job);
  }

  /** Count of the job's dispatches; 0 while it has no outcome. */
  public int attempt(int job) {
    return columns.isEnded(job) ? columns.attempt.get(job) : 0;
  }

  /** Batch that ended the job; below 0: none did, or the log does not hold its dispatch. */
  public int batch(int job) {
    int batch = columns.batch.get(job);
    return batch >= 0 && batches.isDispatched(batch) ? batch : JobColumns.NONE;
  }

  /** True if the log holds the job's outcome. */
  public boolean isEnded(int job) {
    return columns.isEnded(job);
  }

  /** Log time of the outcome's cause. */
  public long endedAtNs(int job) {
    return columns.isEnded(job) ? columns.endedAtNs.get(job) : NONE;
  }

  /** Time at which the broker appended the outcome. */
  public long observedAtNs(int job) {
    return columns.isEnded(job)
        ? Batches.sinceZeroNs(columns.observedAtEpochMs.get(job), zeroEpochMs)
        : NONE;
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
    return batches.startedAtNs(columns.batch.get(job)) - intendedAtNs(job);
  }

  /** Service time of its batch; only for a done job. */
  public long serviceNs(int job) {
    return batches.serviceNs(columns.batch.get(job));
  }

  /** Part of its batch's service time, by samples; only for a done job. */
  public long serviceShareNs(int job) {
    int batch = columns.batch.get(job);
    return Math.round((double) batches.serviceNs(batch) * samples(job) / batches.samples(batch));
  }

  /** Time from intended arrival to end; only for a done job. */
  public long endToEndNs(int job) {
    return batches.finishedAtNs(columns.batch.get(job)) - intendedAtNs(job);
  }

  /** True if the job took longer than promised or is not done. */
  public boolean isViolation(int job) {
    return !isDone(job) || endToEndNs(job) > sloNs(job);
  }

  /**
   * Time at which the job stopped waiting: its start, else its end, else never ({@link
   * Long#MAX_VALUE}).
   */
  public long waitedUntilNs(int job) {
    long startedAtNs = startedAtNs(job);
    if (startedAtNs != NONE) {
      return startedAtNs;
    }
    long endedAtNs = endedAtNs(job);
    return endedAtNs == NONE ? Long.MAX_VALUE : endedAtNs;
  }
}
