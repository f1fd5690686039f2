package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Attempts to run batches, by decision, ties by shard and id. A batch is a number: {@code for (int
 * i = 0; i < batches.size(); i++) { int batch = batches.at(i); … }}.
 *
 * <p>A time that there is not is {@link Jobs#NONE}.
 */
public final class Batches {
  private final BatchColumns columns;
  private final JobColumns jobs;
  private final long zeroEpochMs;
  private final List<String> laneIds = new ArrayList<>();

  /** Batches in order; null: all rows, as they are. */
  private final int @Nullable [] order;

  private final int size;

  /**
   * Batches as they were read so far.
   *
   * @param zeroEpochMs time zero
   */
  public Batches(BatchColumns columns, JobColumns jobs, long zeroEpochMs) {
    this.columns = columns;
    this.jobs = jobs;
    this.zeroEpochMs = zeroEpochMs;
    for (BatchDispatched.Place place : columns.places.values()) {
      laneIds.add(place.executorId() + "/" + place.lanes().get(0));
    }
    order = isInOrder() ? null : order();
    size = order == null ? columns.size() : order.length;
  }

  static long sinceZeroNs(long epochMs, long zeroEpochMs) {
    return (epochMs - zeroEpochMs) * 1_000_000;
  }

  private boolean isInOrder() {
    int rows = columns.size();
    long beforeNs = Long.MIN_VALUE;
    for (int row = 0; row < rows; row++) {
      long atNs = columns.decidedAtNs.get(row);
      if (!columns.isDispatched(row)
          || atNs < beforeNs
          || (atNs == beforeNs && row > 0 && compareByKey(row - 1, row) > 0)) {
        return false;
      }
      beforeNs = atNs;
    }
    return true;
  }

  private int[] order() {
    return IntStream.range(0, columns.size())
        .filter(columns::isDispatched)
        .boxed()
        .sorted(this::compareByDecision)
        .mapToInt(row -> row)
        .toArray();
  }

  private int compareByDecision(int row, int other) {
    int by = Long.compare(columns.decidedAtNs.get(row), columns.decidedAtNs.get(other));
    return by != 0 ? by : compareByKey(row, other);
  }

  /** Compares two batches by shard, then by id. */
  public int compareByKey(int batch, int other) {
    int by = Integer.compare(columns.shard.get(batch), columns.shard.get(other));
    by = by != 0 ? by : Long.compare(columns.factOffset.get(batch), columns.factOffset.get(other));
    return by != 0 ? by : Integer.compare(columns.index.get(batch), columns.index.get(other));
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** The batch at a place of the order, from 0. */
  public int at(int place) {
    return order == null ? place : order[place];
  }

  /** Number of batches that are named anywhere, also by completions and outcomes alone. */
  public int named() {
    return columns.size();
  }

  /** True if the log holds the batch's dispatch. */
  public boolean isDispatched(int batch) {
    return columns.isDispatched(batch);
  }

  /** Partition of the dispatch; ids are unique within it. */
  public int shard(int batch) {
    return columns.shard.get(batch);
  }

  /** First part of the dispatch's id: the offset of the fact that led to it. */
  public long factOffset(int batch) {
    return columns.factOffset.get(batch);
  }

  /** Second part of the dispatch's id: its place among that fact's dispatches. */
  public int index(int batch) {
    return columns.index.get(batch);
  }

  /** Number of the executor, its incarnation and its lanes, in {@link #places()}. */
  public int placeNumber(int batch) {
    return columns.place.get(batch);
  }

  /** Executors with incarnation and lanes, by their numbers. */
  public List<BatchDispatched.Place> places() {
    return columns.places.values();
  }

  public BatchDispatched.Place place(int batch) {
    return columns.places.get(columns.place.get(batch));
  }

  /** Executor and first lane, unique in the run. */
  public String laneId(int batch) {
    return laneIds.get(columns.place.get(batch));
  }

  /** Number of the batch's model in {@link #models()}. */
  public int modelNumber(int batch) {
    return columns.model.get(batch);
  }

  /** Models by their numbers. */
  public List<ModelKey> models() {
    return columns.models.values();
  }

  public ModelKey model(int batch) {
    return columns.models.get(columns.model.get(batch));
  }

  public int jobCount(int batch) {
    return columns.memberCount.get(batch);
  }

  /** A job of the batch, from 0; the first is the chosen one. */
  public int job(int batch, int place) {
    return columns.members.get(columns.firstMember.get(batch) + place);
  }

  /** The jobs of the batch, the chosen one first. */
  public IntStream jobs(int batch) {
    return IntStream.range(0, jobCount(batch)).map(place -> job(batch, place));
  }

  public int samples(int batch) {
    return columns.samples.get(batch);
  }

  public int tokens(int batch) {
    return columns.tokens.get(batch);
  }

  public int attempt(int batch) {
    return columns.attempt.get(batch);
  }

  public long decidedAtNs(int batch) {
    return columns.decidedAtNs.get(batch);
  }

  /** Time at which the broker appended the dispatch (1 ms resolution). */
  public long appendedAtNs(int batch) {
    return sinceZeroNs(columns.dispatchedAtEpochMs.get(batch), zeroEpochMs);
  }

  /** Service time predicted at the decision. */
  public long predictedNs(int batch) {
    return columns.meanNs.get(batch);
  }

  public String predictionSource(int batch) {
    return columns.names.get(columns.source.get(batch));
  }

  /** Busy lanes that the prediction assumed; below 0: it does not say. */
  public int predictedBusyLanes(int batch) {
    return columns.predictedBusyLanes.get(batch);
  }

  /** Version of the published table that gave the prediction; null: no table did. */
  public @Nullable String modelVersion(int batch) {
    int number = columns.modelVersion.get(batch);
    return number < 0 ? null : columns.names.get(number);
  }

  /** Upper bound of {@code predictor.quantile}. */
  public long predictedQuantileNs(int batch) {
    return columns.quantileNs.get(batch);
  }

  /** Upper bound with probability 0.95. */
  public long predictedP95Ns(int batch) {
    return columns.p95Ns.get(batch);
  }

  /** Upper bound with probability 0.99. */
  public long predictedP99Ns(int batch) {
    return columns.p99Ns.get(batch);
  }

  /** Names of the terms of the batch's score, in alphabetical order; empty: it has no score. */
  private List<String> termNames(int batch) {
    int set = columns.termSet.get(batch);
    return set < 0 ? List.of() : columns.termNames.get(set);
  }

  /** Number of the batch's names of terms in {@link #termSets()}; below 0: it has no score. */
  public int termSet(int batch) {
    return columns.termSet.get(batch);
  }

  /** Names of terms by their numbers. */
  public List<List<String>> termSets() {
    return columns.termNames.values();
  }

  /** A term of the batch's score, by its place among the names. */
  public double term(int batch, int place) {
    return Double.longBitsToDouble(columns.terms.get(columns.firstTerm.get(batch) + place));
  }

  /**
   * Terms of the batch's score: {@code name=value} by name, separated by semicolons; empty: it has
   * no score.
   */
  public String scoreTerms(int batch) {
    List<String> names = termNames(batch);
    return IntStream.range(0, names.size())
        .mapToObj(place -> names.get(place) + "=" + Decimals.plain(term(batch, place)))
        .collect(Collectors.joining(";"));
  }

  /** True if the log holds the batch's completion. */
  public boolean isCompleted(int batch) {
    return columns.isCompleted(batch);
  }

  public boolean isDone(int batch) {
    return columns.result(batch) == Result.DONE;
  }

  public boolean isFailed(int batch) {
    return columns.result(batch) == Result.FAILED;
  }

  /** Why the batch failed or was refused; null: it says nothing. */
  public @Nullable String cause(int batch) {
    return columns.cause(batch);
  }

  /** Result as text: done, failed, refused, lost, or open (no completion, and no job ended). */
  public String result(int batch) {
    if (isLost(batch)) {
      return "lost";
    }
    Result result = columns.result(batch);
    return result == null ? "open" : result.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Whether the dispatch ended none of its jobs, though they have ended, by another attempt or by
   * giving up: it was never answered, or too late, or by a later incarnation of its executor.
   */
  public boolean isLost(int batch) {
    Result result = columns.result(batch);
    if (result == Result.CANCELLED) {
      return false;
    }
    if (result == null) {
      return endsAnyJob(batch) || hasJobEndedOtherwise(batch);
    }
    return result == Result.REFUSED
        ? Reason.OLDER_INCARNATION.is(columns.cause(batch))
        : !endsAnyJob(batch) && hasJobEndedOtherwise(batch);
  }

  /** True if the batch ran to its end after one of its jobs had ended otherwise. */
  public boolean isSuperseded(int batch) {
    Result result = columns.result(batch);
    return (result == Result.DONE || result == Result.FAILED) && hasJobEndedOtherwise(batch);
  }

  private boolean endsAnyJob(int batch) {
    for (int place = 0; place < jobCount(batch); place++) {
      if (jobs.batch.get(job(batch, place)) == batch) {
        return true;
      }
    }
    return false;
  }

  private boolean hasJobEndedOtherwise(int batch) {
    for (int place = 0; place < jobCount(batch); place++) {
      int job = job(batch, place);
      if (jobs.batch.get(job) != batch && jobs.isEnded(job)) {
        return true;
      }
    }
    return false;
  }

  public long startedAtNs(int batch) {
    return columns.startedAtNs.get(batch);
  }

  public long finishedAtNs(int batch) {
    return columns.finishedAtNs.get(batch);
  }

  /** True if a lane worked on the batch, from a known start to a known end. */
  public boolean ran(int batch) {
    return startedAtNs(batch) != Jobs.NONE && finishedAtNs(batch) != Jobs.NONE;
  }

  /** Service time; 0 if the batch never ran. */
  public long serviceNs(int batch) {
    return columns.serviceNs.get(batch);
  }

  /** Part of the service time in which the lane took in another model. */
  public long switchNs(int batch) {
    return columns.switchNs.get(batch);
  }

  /** Service time that an emulated lane meant to take; none on real lanes. */
  public long emulatedServiceNs(int batch) {
    return columns.emulatedServiceNs.get(batch);
  }

  /** Lanes that ran a batch when this one began; below 0: it does not say. */
  public int busyLanes(int batch) {
    return columns.busyLanes.get(batch);
  }

  /** The batches that ran, by start; of equal starts the one decided first. */
  public int[] byStart() {
    return IntStream.range(0, size)
        .map(this::at)
        .filter(this::ran)
        .boxed()
        .sorted(Comparator.comparingLong(this::startedAtNs))
        .mapToInt(batch -> batch)
        .toArray();
  }

  /** Time at which the broker appended the completion. */
  public long completedAtNs(int batch) {
    return isCompleted(batch)
        ? sinceZeroNs(columns.completedAtEpochMs.get(batch), zeroEpochMs)
        : Jobs.NONE;
  }
}
