package dev.sluice.contract.event;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What lanes do, told four times a second from records that may not be committed yet. Topic {@code
 * lanes}, kept for an hour. All of it is provisional: windows of a {@link MetricsWindow} take its
 * place. A batch stands in each window in which it started, ran or ended; the last one counts.
 *
 * @param fromNs start of the window: the end of the one before
 * @param toNs end of the window, exclusive
 * @param requested jobs requested since time zero
 * @param waiting jobs that wait at the window's end
 * @param running jobs in batches that have not ended at the window's end
 */
public record LanesWindow(
    long fromNs, long toNs, long requested, long waiting, long running, List<Executor> executors)
    implements WindowRecord {
  public static final int VERSION = 1;

  public LanesWindow {
    executors = List.copyOf(executors);
  }

  @Override
  public int version() {
    return VERSION;
  }

  /**
   * An executor that has reported and not left.
   *
   * @param shard shard whose jobs it runs
   * @param tokens its memory budget; null: no budget
   */
  public record Executor(
      String id, int shard, String deviceKind, @Nullable Long tokens, List<Lane> lanes) {
    public Executor {
      requireNonNull(id, "id");
      requireNonNull(deviceKind, "deviceKind");
      lanes = List.copyOf(lanes);
    }
  }

  /**
   * A lane.
   *
   * @param index index within its executor, from 0
   * @param busy share of the window in which it ran a batch, from 0 to 1
   * @param model model of its last batch, {@code workload/backend/precision}; null before the first
   * @param batches at most 40 batches that started, ran or ended, the last ones by decision; where
   *     the lanes have more than 128 together, the longest lists are cut until they have not
   * @param more share of the window in batches beyond those of the list, from 0 to 1
   */
  public record Lane(
      int index, double busy, @Nullable String model, List<Batch> batches, double more) {
    public Lane {
      batches = List.copyOf(batches);
    }
  }

  /**
   * A batch on a lane.
   *
   * @param id {@code SHARD:OFFSET-INDEX}, as explained by {@code ./sluice explain}; unique in the
   *     run
   * @param startedNs when the lane began it; when it was decided, until that is known
   * @param started whether startedNs is when the lane began it
   * @param finishedNs when it ended; null: it runs, or was refused or lost
   * @param result {@code DONE}, {@code FAILED}, {@code REFUSED} or {@code LOST}; null: it has no
   *     end yet
   * @param classType class of its first job; null: not known
   * @param jobs number of its jobs
   * @param firstJob id of the job for which the policy chose it
   * @param samples inputs of all its jobs
   * @param predictedMs service time predicted at the decision; null: none
   * @param p95Ms upper bound of the prediction; null: none
   * @param serviceMs real service time; null before its end
   * @param scoreTerms terms of the policy's score; may be empty
   */
  public record Batch(
      String id,
      int attempt,
      long startedNs,
      boolean started,
      @Nullable Long finishedNs,
      @Nullable String result,
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
      Map<String, Double> scoreTerms) {
    public Batch {
      requireNonNull(id, "id");
      requireNonNull(workload, "workload");
      requireNonNull(backend, "backend");
      requireNonNull(precision, "precision");
      requireNonNull(firstJob, "firstJob");
      requireNonNull(scoreTerms, "scoreTerms");
      scoreTerms.values().forEach(term -> requireNonNull(term, "a term of scoreTerms"));
    }
  }
}
