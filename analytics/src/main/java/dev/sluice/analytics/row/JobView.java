package dev.sluice.analytics.row;

/**
 * A job with what figures ask of it, read from its columns once: {@link #show} makes the same
 * object that of another job. The values are those of {@link Jobs}. Not safe for threads.
 */
public final class JobView {
  private final Jobs jobs;
  private final JobColumns columns;
  private final Batches batches;
  private int job;
  private int kind;
  private int samples;
  private long sloNs;
  private long intendedAtNs;
  private long latenessNs;
  private boolean measured;
  private boolean ended;
  private JobStatus status = JobStatus.OPEN;
  private int batch;
  private long startedAtNs;
  private long finishedAtNs;
  private long serviceNs;

  JobView(Jobs jobs, JobColumns columns, Batches batches) {
    this.jobs = jobs;
    this.columns = columns;
    this.batches = batches;
  }

  /** Shows a job from now on. */
  public void show(int aJob) {
    job = aJob;
    kind = columns.kind.get(aJob);
    samples = columns.samples.get(aJob);
    sloNs = columns.sloNs.get(aJob);
    intendedAtNs = columns.intendedAtNs.get(aJob);
    latenessNs = columns.latenessNs.get(aJob);
    measured = jobs.isMeasuredAt(intendedAtNs);
    showEnd(columns.end.get(aJob), columns.batch.get(aJob));
  }

  private void showEnd(int end, int said) {
    ended = end != 0;
    status = JobColumns.status(end);
    if (said >= 0 && batches.isDispatched(said)) {
      batch = said;
      startedAtNs = batches.startedAtNs(said);
      finishedAtNs = batches.finishedAtNs(said);
      serviceNs = batches.serviceNs(said);
      boolean ran = startedAtNs != Jobs.NONE && finishedAtNs != Jobs.NONE;
      if (status == JobStatus.DONE && !(ran && batches.isDone(said))) {
        status = JobStatus.OPEN;
      }
    } else {
      batch = JobColumns.NONE;
      startedAtNs = Jobs.NONE;
      finishedAtNs = Jobs.NONE;
      if (status == JobStatus.DONE) {
        status = JobStatus.OPEN;
      }
    }
  }

  /** The job's number. */
  public int job() {
    return job;
  }

  public int kindNumber() {
    return kind;
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

  public long latenessNs() {
    return latenessNs;
  }

  public boolean isMeasured() {
    return measured;
  }

  /** True if the log holds the job's outcome. */
  public boolean isEnded() {
    return ended;
  }

  public JobStatus status() {
    return status;
  }

  public boolean isDone() {
    return status == JobStatus.DONE;
  }

  /** Batch that ended the job; below 0: none did, or the log does not hold its dispatch. */
  public int batch() {
    return batch;
  }

  public long finishedAtNs() {
    return finishedAtNs;
  }

  /** Time from intended arrival to start; only for a done job. */
  public long waitNs() {
    return startedAtNs - intendedAtNs;
  }

  /** Service time of its batch; only for a done job. */
  public long serviceNs() {
    return serviceNs;
  }

  /** Time from intended arrival to end; only for a done job. */
  public long endToEndNs() {
    return finishedAtNs - intendedAtNs;
  }

  /** True if the job took longer than promised or is not done. */
  public boolean isViolation() {
    return status != JobStatus.DONE || finishedAtNs - intendedAtNs > sloNs;
  }

  /** Time at which the job stopped waiting, as {@link Jobs#waitedUntilNs}. */
  public long waitedUntilNs() {
    if (startedAtNs != Jobs.NONE) {
      return startedAtNs;
    }
    return ended ? columns.endedAtNs.get(job) : Long.MAX_VALUE;
  }
}
