package dev.sluice.contract.event;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Batches that have ended and stand in no earlier record, by the lanes that ran them, and the
 * number of batches that each lane holds. Topic {@code metrics}; from committed records alone. An
 * analytics that starts again repeats batches.
 *
 * @param toNs time since time zero through which facts had been read
 */
public record BatchesEnded(long toNs, List<Executor> executors) implements WindowRecord {
  public BatchesEnded {
    executors = List.copyOf(executors);
  }

  /** An executor that has reported and not left, or one of whose batches has ended. */
  public record Executor(String id, List<Lane> lanes) {
    public Executor {
      lanes = List.copyOf(lanes);
    }
  }

  /**
   * A lane.
   *
   * @param index index within its executor, from 0
   * @param underWay number of batches that it holds by its executor's last report
   * @param batches its batches that have ended, the last ones; the record lists at most 512, and
   *     one of each lane
   * @param more its batches before these; null: none
   */
  public record Lane(int index, int underWay, List<Batch> batches, @Nullable More more) {
    public Lane {
      batches = List.copyOf(batches);
    }
  }

  /**
   * Batches of a lane that the record does not list.
   *
   * @param fromNs start of the first one
   * @param toNs end of the last one
   * @param busy share of the time between in which the lane ran one of them, from 0 to 1
   */
  public record More(long fromNs, long toNs, double busy) {}

  /**
   * A batch that has ended.
   *
   * @param id {@code SHARD:OFFSET-INDEX}, as explained by {@code ./sluice explain}; unique in the
   *     run
   * @param startedNs when the lane began it; of a batch that was refused or lost, when it was
   *     decided
   * @param finishedNs when it ended; startedNs of a batch that was refused or lost
   * @param result {@code DONE}, {@code FAILED}, {@code REFUSED} or {@code LOST}
   * @param classType class of its first job; null: not known
   * @param firstJob id of the job for which the policy chose it
   * @param predictedMs service time predicted at the decision; null: none
   * @param p95Ms upper bound of the prediction; null: none
   * @param serviceMs real service time; null: it was refused or lost
   */
  public record Batch(
      String id,
      int attempt,
      long startedNs,
      long finishedNs,
      String result,
      String workload,
      String backend,
      String precision,
      @Nullable String classType,
      int jobs,
      String firstJob,
      int samples,
      @Nullable Double predictedMs,
      @Nullable Double p95Ms,
      @Nullable Double serviceMs,
      Map<String, Double> scoreTerms) {}
}
