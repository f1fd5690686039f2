package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.LongColumn;
import dev.sluice.analytics.statistic.Space;
import org.jspecify.annotations.Nullable;

/**
 * Jobs as they are read, in the order in which they were first named. Each is requested at most
 * once, and ends at most once. Not safe for threads while it is written.
 */
public final class JobColumns {
  /** A batch that there is not. */
  public static final int NONE = -1;

  private static final int STATUS_BITS = 3;
  private static final int NOT_REQUESTED = -1;
  private static final long UNKNOWN = Long.MIN_VALUE;

  private static final JobStatus[] STATUSES = JobStatus.values();

  final Space space;
  final JobIds ids;
  final Interned<JobKind> kinds = new Interned<>();
  final Interned<String> reasons = new Interned<>();
  final IntColumn kind;
  final IntColumn generator;

  /** Place in the list of requests, less the row. */
  final LongColumn index;

  final IntColumn samples;

  /** Promise to the first job of each kind. */
  private final LongColumn sloOfKindNs;

  /** Promise to each job, less that to the first of its kind. */
  private final LongColumn sloAwayNs;

  final LongColumn intendedAtNs;

  /** Send call, less the intended arrival. */
  final LongColumn latenessNs;

  final IntColumn shard;

  /** Beside the intended arrivals. */
  private final AppendTimes appended;

  /** Status, from 1, and above {@value #STATUS_BITS} bits the reason, from 1; 0: no outcome. */
  final IntColumn end;

  final IntColumn batch;
  final IntColumn attempt;
  final LongColumn endedAtNs;

  /** Beside the ends. */
  private final AppendTimes observed;

  /** Empty columns. */
  public JobColumns(Space space) {
    this.space = space;
    ids = new JobIds(space);
    kind = new IntColumn(space, NOT_REQUESTED);
    generator = new IntColumn(space, 0);
    index = new LongColumn(space, 0);
    samples = new IntColumn(space, 1);
    sloOfKindNs = new LongColumn(space, UNKNOWN);
    sloAwayNs = new LongColumn(space, 0);
    intendedAtNs = new LongColumn(space, 0);
    latenessNs = new LongColumn(space, 0);
    shard = new IntColumn(space, 0);
    appended = new AppendTimes(space);
    end = new IntColumn(space, 0);
    batch = new IntColumn(space, NONE);
    attempt = new IntColumn(space, 1);
    endedAtNs = new LongColumn(space, 0);
    observed = new AppendTimes(space);
  }

  /** Number of jobs that anything named. */
  public int size() {
    return ids.size();
  }

  /** The row of a job, a new one if the job has none. */
  public int row(String jobId) {
    return ids.row(jobId);
  }

  /** The row of {@code job-NUMBER}, a new one if the job has none. */
  public int row(int number) {
    return ids.row(number);
  }

  /** True if the job's request has been read. */
  public boolean isRequested(int row) {
    return kind.get(row) != NOT_REQUESTED;
  }

  /** True if the job's outcome has been read. */
  public boolean isEnded(int row) {
    return end.get(row) != 0;
  }

  /** The number of a kind, a new one if it has none. */
  public int kindNumber(JobKind jobKind) {
    return kinds.number(jobKind);
  }

  /**
   * Takes a job's request.
   *
   * @param itsKind number of its kind
   */
  public void requested(
      int row, int itsKind, int itsGenerator, long itsIndex, int itsSamples, long itsSloNs) {
    kind.set(row, itsKind);
    generator.set(row, itsGenerator);
    index.set(row, itsIndex - row);
    samples.set(row, itsSamples);
    long usualNs = sloOfKindNs.get(itsKind);
    if (usualNs == UNKNOWN) {
      usualNs = itsSloNs;
      sloOfKindNs.set(itsKind, itsSloNs);
    }
    sloAwayNs.set(row, itsSloNs - usualNs);
  }

  /** What the job was promised; its request must have been read. */
  long sloNs(int row) {
    return sloOfKindNs.get(kind.get(row)) + sloAwayNs.get(row);
  }

  /** Takes the times of a job's request, and the partition that holds it. */
  public void requestedAt(int row, long intendedNs, long sentNs, int inShard, long epochMs) {
    intendedAtNs.set(row, intendedNs);
    latenessNs.set(row, sentNs - intendedNs);
    shard.set(row, inShard);
    appended.set(row, intendedNs, epochMs);
  }

  /** When the broker appended the job's request, which must have been read. */
  long appendedAtEpochMs(int row) {
    return appended.epochMs(row, intendedAtNs.get(row));
  }

  /**
   * Takes a job's outcome.
   *
   * @param status DONE, DROPPED or FAILED
   * @param itsBatch row of the batch that ended the job; {@link #NONE}: none did
   */
  public void ended(
      int row, JobStatus status, @Nullable String reason, int itsBatch, int attempts) {
    int reasonNumber = reason == null ? 0 : 1 + reasons.number(reason);
    end.set(row, (reasonNumber << STATUS_BITS) | (1 + status.number()));
    batch.set(row, itsBatch);
    attempt.set(row, attempts);
  }

  /** Takes the times of a job's outcome. */
  public void endedAt(int row, long atNs, long epochMs) {
    endedAtNs.set(row, atNs);
    observed.set(row, atNs, epochMs);
  }

  /** When the broker appended the job's outcome, which must have been read. */
  long observedAtEpochMs(int row) {
    return observed.epochMs(row, endedAtNs.get(row));
  }

  @Nullable JobStatus statusSaid(int row) {
    int said = end.get(row);
    return said == 0 ? null : status(said);
  }

  /** The status in a number of {@link #end}; OPEN: no outcome. */
  static JobStatus status(int end) {
    return end == 0 ? JobStatus.OPEN : STATUSES[(end & ((1 << STATUS_BITS) - 1)) - 1];
  }

  @Nullable String reasonSaid(int row) {
    int said = end.get(row) >>> STATUS_BITS;
    return said == 0 ? null : reasons.get(said - 1);
  }
}
