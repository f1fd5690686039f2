package dev.sluice.analytics.row;

import dev.sluice.analytics.row.Jobs.JobKind;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.LongColumn;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.value.JobId;
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

  final Ids ids = new Ids();
  final Interned<JobKind> kinds = new Interned<>();
  private final Interned<JobStatus> statuses = new Interned<>();
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

  /** Ids as numbers, and their rows: {@code job-17} is 17, and any other text a number below 0. */
  static final class Ids {
    private final IntColumn numberByRow = new IntColumn(0);
    private final IntColumn rowByNumber = new IntColumn(NONE);
    private final IntColumn rowByOther = new IntColumn(NONE);
    private final Interned<String> others = new Interned<>();
    private int size;

    private int row(String jobId) {
      int number = JobId.index(jobId);
      if (number >= 0) {
        return row(rowByNumber, number, number);
      }
      int other = others.number(jobId);
      return row(rowByOther, other, -1 - other);
    }

    private int row(IntColumn rows, int place, int number) {
      int row = rows.get(place);
      if (row == NONE) {
        row = size++;
        rows.set(place, row);
        numberByRow.set(row, number);
      }
      return row;
    }

    /** The number in an id {@code job-NUMBER}; below 0: the text is another one. */
    int number(int row) {
      return numberByRow.get(row);
    }

    String text(int row) {
      int number = number(row);
      return number >= 0 ? JobId.of(number) : others.get(-1 - number);
    }
  }

  /** Number of jobs that anything named. */
  public int size() {
    return ids.size;
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

  /** Takes a job's request, its partition, and its append time. */
  public void requested(int row, JobRequested request, int inShard, long epochMs) {
    kind.set(
        row,
        kinds.number(
            new JobKind(
                request.classType(), request.workload(), request.backend(), request.precision())));
    generator.set(row, request.generator());
    index.set(row, request.index());
    samples.set(row, request.samples());
    sloNs.set(row, request.sloNs());
    intendedAtNs.set(row, request.intendedAtNs());
    latenessNs.set(row, request.sentAtNs() - request.intendedAtNs());
    shard.set(row, inShard);
    appendedAtEpochMs.set(row, epochMs);
  }

  /**
   * Takes a job's outcome and its append time.
   *
   * @param itsBatch row of the batch that ended the job; {@link #NONE}: none did
   */
  public void ended(int row, JobEnded outcome, int itsBatch, long epochMs) {
    int reason = outcome.reason() == null ? 0 : 1 + reasons.number(outcome.reason());
    int status = 1 + statuses.number(JobStatus.valueOf(outcome.status().name()));
    end.set(row, (reason << STATUS_BITS) | status);
    batch.set(row, itsBatch);
    attempt.set(row, outcome.attempt());
    endedAtNs.set(row, outcome.endedAtNs());
    observedAtEpochMs.set(row, epochMs);
  }

  /** The status that the outcome says; OPEN: there is no outcome. */
  JobStatus statusSaid(int row) {
    int said = end.get(row);
    return said == 0 ? JobStatus.OPEN : statuses.get((said & ((1 << STATUS_BITS) - 1)) - 1);
  }

  @Nullable String reasonSaid(int row) {
    int said = end.get(row) >>> STATUS_BITS;
    return said == 0 ? null : reasons.get(said - 1);
  }
}
