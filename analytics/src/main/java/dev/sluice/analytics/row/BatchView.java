package dev.sluice.analytics.row;

/**
 * A batch with what figures ask of it, read from its columns once: {@link #show} makes the same
 * object that of another batch. The values are those of {@link Batches}. Not safe for threads.
 */
public final class BatchView {
  private final Batches batches;
  private final BatchColumns columns;
  private int batch;
  private int place;
  private int model;
  private int samples;
  private int result;
  private long decidedAtNs;
  private long predictedNs;
  private long startedAtNs;
  private long finishedAtNs;
  private long serviceNs;

  BatchView(Batches batches, BatchColumns columns) {
    this.batches = batches;
    this.columns = columns;
  }

  /** Shows a batch from now on. */
  public void show(int aBatch) {
    batch = aBatch;
    place = columns.place.get(aBatch);
    model = columns.model.get(aBatch);
    samples = columns.samples.get(aBatch);
    result = columns.resultNumber(aBatch);
    decidedAtNs = columns.decidedAtNs.get(aBatch);
    predictedNs = columns.meanNs.get(aBatch);
    startedAtNs = columns.startedAtNs.get(aBatch);
    finishedAtNs = columns.finishedAtNs.get(aBatch);
    serviceNs = columns.serviceNs.get(aBatch);
  }

  /** The batch's number. */
  public int batch() {
    return batch;
  }

  public int placeNumber() {
    return place;
  }

  public int modelNumber() {
    return model;
  }

  public int samples() {
    return samples;
  }

  public long decidedAtNs() {
    return decidedAtNs;
  }

  /** Service time predicted at the decision. */
  public long predictedNs() {
    return predictedNs;
  }

  /** True if the log holds the batch's completion. */
  public boolean isCompleted() {
    return result != 0;
  }

  public boolean isDone() {
    return result == BatchColumns.DONE;
  }

  public boolean isFailed() {
    return result == BatchColumns.FAILED;
  }

  /** As {@link Batches#isLost}. */
  public boolean isLost() {
    return batches.isLost(batch);
  }

  /** As {@link Batches#isSuperseded}. */
  public boolean isSuperseded() {
    return batches.isSuperseded(batch);
  }

  public long startedAtNs() {
    return startedAtNs;
  }

  public long finishedAtNs() {
    return finishedAtNs;
  }

  /** True if a lane worked on the batch, from a known start to a known end. */
  public boolean ran() {
    return startedAtNs != Jobs.NONE && finishedAtNs != Jobs.NONE;
  }

  /** Service time; 0 if the batch never ran. */
  public long serviceNs() {
    return serviceNs;
  }
}
