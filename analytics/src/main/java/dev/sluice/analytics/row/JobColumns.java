package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.LongColumn;
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

  private static final JobStatus[] STATUSES = JobStatus.values();

  final JobIds ids = new JobIds();
  final Interned<JobKind> kinds = new Interned<>();
  final Interned<String> reasons = new Interned<>();
  final IntColumn kind = new IntColumn(NOT_REQUESTED);
  final IntColumn generator = new IntColumn(0);

  /** Place in the list of requests. */
  final LongColumn index = new LongColumn(0);

  final IntColumn samples = new IntColumn(1);

  final LongColumn sloNs = new LongColumn(0);
  final LongColumn intendedAtNs = new LongColumn(0);

  /** Send call, less the intended arrival. */
  final LongColumn latenessNs = new LongColumn(0);

  final IntColumn shard = new IntColumn(0);

  /** Time at which the broker appended the request. */
  final LongColumn appendedAtEpochMs = new LongColumn(0);

  /** Status, from 1, and above {@value #STATUS_BITS} bits the reason, from 1; 0: no outcome. */
  final IntColumn end = new IntColumn(0);

  final IntColumn batch = new IntColumn(NONE);
  final IntColumn attempt = new IntColumn(1);
  final LongColumn endedAtNs = new LongColumn(0);

  /** Time at which the broker appended the outcome. */
  final LongColumn observedAtEpochMs = new LongColumn(0);

  /** Number of jobs that anything named. */
  public int size() {
    return ids.size();
  }

  /** The row of a job, a new one if the job has none. */
  public int row(String jobId) {
    return ids.row(jobId);
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
    index.set(row, itsIndex);
    samples.set(row, itsSamples);
    sloNs.set(row, itsSloNs);
  }

  /** Takes the times of a job's request, and the partition that holds it. */
  public void requestedAt(int row, long intendedNs, long sentNs, int inShard, long epochMs) {
    intendedAtNs.set(row, intendedNs);
    latenessNs.set(row, sentNs - intendedNs);
    shard.set(row, inShard);
    appendedAtEpochMs.set(row, epochMs);
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
    observedAtEpochMs.set(row, epochMs);
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
