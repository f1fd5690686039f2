package dev.sluice.analytics.row;

import static java.util.Objects.requireNonNull;

import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Attempts to run batches, by decision, ties by shard and id.
 *
 * <p>A time that there is not is {@link Jobs#NONE}. Not safe for threads while it is written.
 */
public final class Batches {
  /** Order by shard, then by id. */
  public static final Comparator<BatchRow> BY_KEY =
      Comparator.<BatchRow>comparingInt(batch -> batch.shard)
          .thenComparingLong(batch -> batch.idOffset)
          .thenComparingInt(batch -> batch.idIndex);

  /**
   * What many batches share.
   *
   * @param termNames names of the terms of the score, in alphabetical order
   * @param modelVersion version of the published table that gave the prediction; null: no table did
   */
  public record BatchKind(
      BatchDispatched.Place place,
      ModelKey model,
      List<String> termNames,
      String predictionSource,
      @Nullable String modelVersion) {
    private String laneId() {
      return place.executorId() + "/" + place.lanes().get(0);
    }

    /** Compares by hand, as {@link #hashCode} does, since each batch looks its kind up. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof BatchKind that
          && place.executorId().equals(that.place.executorId())
          && place.incarnation() == that.place.incarnation()
          && place.lanes().equals(that.place.lanes())
          && model.equals(that.model)
          && termNames.equals(that.termNames)
          && predictionSource.equals(that.predictionSource)
          && Objects.equals(modelVersion, that.modelVersion);
    }

    @Override
    public int hashCode() {
      int lane = 31 * place.executorId().hashCode() + place.lanes().get(0);
      return 31 * (31 * lane + model.hashCode()) + termNames.size();
    }
  }

  /**
   * Upper bounds of a service time.
   *
   * @param quantileNs bound of {@code predictor.quantile}
   */
  public record UpperNs(long quantileNs, long p95Ns, long p99Ns) {
    static final UpperNs NONE = new UpperNs(Jobs.NONE, Jobs.NONE, Jobs.NONE);

    private static UpperNs of(Prediction prediction) {
      Long quantileNs = prediction.quantileNs();
      Long p95Ns = prediction.p95Ns();
      Long p99Ns = prediction.p99Ns();
      return quantileNs == null && p95Ns == null && p99Ns == null
          ? NONE
          : new UpperNs(orNone(quantileNs), orNone(p95Ns), orNone(p99Ns));
    }
  }

  /** What figures and tables need of a batch: a run has up to a million. */
  public final class BatchRow {
    private static final double[] NO_TERMS = {};
    private static final JobRow[] NO_JOBS = {};

    private final int number;
    private final int shard;
    private final long idOffset;
    private final int idIndex;

    /** Null: the log does not hold the dispatch, and what it says is not known. */
    private @Nullable BatchKind kind;

    private int samples;
    private int tokens;
    private int attempt;
    private long decidedAtNs;
    private double[] terms = NO_TERMS;
    private long predictedNs;
    private int predictedBusyLanes;

    private UpperNs upperNs = UpperNs.NONE;
    private JobRow[] jobs = NO_JOBS;
    private long dispatchedAtEpochMs;
    private @Nullable Result result;
    private @Nullable String cause;
    private long startedAtNs = Jobs.NONE;
    private long finishedAtNs = Jobs.NONE;
    private long serviceNs;
    private long switchNs;
    private long emulatedServiceNs = Jobs.NONE;
    private int busyLanes = -1;
    private long completedAtEpochMs;

    private int compareIdTo(DispatchId id) {
      int byOffset = Long.compare(idOffset, id.factOffset());
      return byOffset != 0 ? byOffset : Integer.compare(idIndex, id.index());
    }

    private BatchRow(int number, int shard, DispatchId id) {
      this.number = number;
      this.shard = shard;
      this.idOffset = id.factOffset();
      this.idIndex = id.index();
    }

    /** Number among those that are {@link Batches#named}, from 0, in no order. */
    public int number() {
      return number;
    }

    /** True if the log holds the batch's dispatch. */
    public boolean isDispatched() {
      return kind != null;
    }

    public BatchKind kind() {
      return requireNonNull(kind);
    }

    /** Upper bounds of the predicted service time. */
    public UpperNs upperNs() {
      return upperNs;
    }

    /** Partition of the dispatch; ids are unique within it. */
    public int shard() {
      return shard;
    }

    public DispatchId id() {
      return new DispatchId(idOffset, idIndex);
    }

    /** Executor and first lane, unique in the run; a text that batches of one kind share. */
    public String laneId() {
      return laneIds.computeIfAbsent(kind(), BatchKind::laneId);
    }

    /** The jobs of the batch, the chosen one first; not to be changed. */
    public JobRow[] jobs() {
      return jobs;
    }

    public int samples() {
      return samples;
    }

    public int tokens() {
      return tokens;
    }

    public int attempt() {
      return attempt;
    }

    public long decidedAtNs() {
      return decidedAtNs;
    }

    /** Time at which the broker appended the dispatch (1 ms resolution). */
    public long appendedAtNs() {
      return runJobs.sinceZeroNs(dispatchedAtEpochMs);
    }

    /** Service time predicted at the decision. */
    public long predictedNs() {
      return predictedNs;
    }

    /** Busy lanes that the prediction assumed; below 0: it does not say. */
    public int predictedBusyLanes() {
      return predictedBusyLanes;
    }

    /** Terms of the batch's score by name, in alphabetical order; empty: it has no score. */
    public Map<String, Double> terms() {
      Map<String, Double> byName = new TreeMap<>();
      for (int i = 0; i < terms.length; i++) {
        byName.put(kind().termNames().get(i), terms[i]);
      }
      return byName;
    }

    /** Terms of the batch's score: {@code name=value} by name, separated by semicolons. */
    public String scoreTerms() {
      if (terms.length == 0) {
        return "";
      }
      return terms().entrySet().stream()
          .map(term -> term.getKey() + "=" + Decimals.plain(term.getValue()))
          .collect(Collectors.joining(";"));
    }

    /** True if the log holds the batch's completion. */
    public boolean isCompleted() {
      return result != null;
    }

    public boolean isDone() {
      return result == Result.DONE;
    }

    public boolean isFailed() {
      return result == Result.FAILED;
    }

    /** Why the batch failed or was refused; null: it says nothing. */
    public @Nullable String cause() {
      return cause;
    }

    /** Result as text: done, failed, refused, lost, or open (no completion, and no job ended). */
    public String result() {
      if (isLost()) {
        return "lost";
      }
      return result == null ? "open" : result.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether the dispatch ended none of its jobs, though they have ended, by another attempt or by
     * giving up: it was never answered, or too late, or by a later incarnation of its executor.
     */
    public boolean isLost() {
      if (result == Result.CANCELLED) {
        return false;
      }
      if (result == null) {
        return endsAnyJob() || hasJobEndedOtherwise();
      }
      return result == Result.REFUSED
          ? Reason.OLDER_INCARNATION.is(cause)
          : !endsAnyJob() && hasJobEndedOtherwise();
    }

    /** True if the batch ran to its end after one of its jobs had ended otherwise. */
    public boolean isSuperseded() {
      return (isDone() || isFailed()) && hasJobEndedOtherwise();
    }

    private boolean endsAnyJob() {
      for (JobRow job : jobs) {
        if (job.isEndedBy(this)) {
          return true;
        }
      }
      return false;
    }

    private boolean hasJobEndedOtherwise() {
      for (JobRow job : jobs) {
        if (!job.isEndedBy(this) && job.isEnded()) {
          return true;
        }
      }
      return false;
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

    /** Part of the service time in which the lane took in another model. */
    public long switchNs() {
      return switchNs;
    }

    /** Service time that an emulated lane meant to take; none on real lanes. */
    public long emulatedServiceNs() {
      return emulatedServiceNs;
    }

    /** Lanes that ran a batch when this one began; below 0: it does not say. */
    public int busyLanes() {
      return busyLanes;
    }

    /** Time at which the broker appended the completion. */
    public long completedAtNs() {
      return result == null ? Jobs.NONE : runJobs.sinceZeroNs(completedAtEpochMs);
    }
  }

  private final Jobs runJobs;

  /** All rows; once they are settled the dispatched ones first, in their order. */
  private final ArrayList<BatchRow> rows = new ArrayList<>();

  /** Rows of each shard, by id. */
  private final Map<Integer, List<BatchRow>> rowsByShard = new HashMap<>();

  /** Lanes of the kinds, as texts; figures and tables ask for them on several threads. */
  private final Map<BatchKind, String> laneIds = new ConcurrentHashMap<>();

  private List<BatchRow> all = List.of();
  private @Nullable List<BatchRow> byStart;

  Batches(Jobs runJobs) {
    this.runJobs = runJobs;
  }

  /** The row of a batch, a new one if the batch has none. */
  BatchRow row(int shard, DispatchId id) {
    List<BatchRow> ofShard = rowsByShard.computeIfAbsent(shard, any -> new ArrayList<>());
    int place = place(ofShard, id);
    if (place < ofShard.size() && ofShard.get(place).compareIdTo(id) == 0) {
      return ofShard.get(place);
    }
    var row = new BatchRow(rows.size(), shard, id);
    rows.add(row);
    ofShard.add(place, row);
    return row;
  }

  /** Place of the first row whose id is not below this one; most are asked for near the end. */
  private static int place(List<BatchRow> ofShard, DispatchId id) {
    int high = ofShard.size();
    int low = high - 1;
    for (int step = 1; low >= 0 && ofShard.get(low).compareIdTo(id) >= 0; step *= 2) {
      high = low;
      low -= step;
    }
    low = Math.max(low + 1, 0);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ofShard.get(middle).compareIdTo(id) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Takes a dispatch and its append time; a further copy changes nothing. */
  public void take(BatchDispatched dispatch, int shard, long epochMs) {
    BatchRow row = row(shard, dispatch.dispatchId());
    if (row.kind == null) {
      Map<String, Double> terms = dispatch.decision().scoreTerms();
      if (!terms.isEmpty()) {
        terms = new TreeMap<>(terms);
        row.terms = terms.values().stream().mapToDouble(term -> term).toArray();
      }
      Prediction prediction = dispatch.prediction();
      row.kind =
          runJobs.shared(
              new BatchKind(
                  dispatch.place(),
                  dispatch.work().model(),
                  List.copyOf(terms.keySet()),
                  prediction.source(),
                  prediction.modelVersion()));
      row.samples = dispatch.samples();
      row.tokens = dispatch.tokens();
      row.attempt = dispatch.work().attempt();
      row.decidedAtNs = dispatch.decidedAtNs();
      row.predictedNs = prediction.meanNs();
      row.predictedBusyLanes = orNone(prediction.busyLanes());
      row.upperNs = UpperNs.of(prediction);
      row.jobs = new JobRow[dispatch.jobs().size()];
      for (int i = 0; i < row.jobs.length; i++) {
        row.jobs[i] = runJobs.row(dispatch.jobs().get(i).jobId());
      }
      row.dispatchedAtEpochMs = epochMs;
    }
  }

  /** Takes a completion and its append time; a further one of the dispatch changes nothing. */
  public void take(BatchCompleted completion, int shard, long epochMs) {
    BatchRow row = row(shard, completion.dispatchId());
    if (row.result == null) {
      row.result = completion.result();
      row.cause = completion.cause() == null ? null : runJobs.shared(completion.cause());
      row.startedAtNs = orNone(completion.startedAtNs());
      row.finishedAtNs = orNone(completion.finishedAtNs());
      row.serviceNs = completion.serviceNs();
      row.switchNs = completion.switchNs();
      row.emulatedServiceNs = orNone(completion.emulatedServiceNs());
      row.busyLanes = orNone(completion.busyLanes());
      row.completedAtEpochMs = epochMs;
    }
  }

  private static long orNone(@Nullable Long ns) {
    return ns == null ? Jobs.NONE : ns;
  }

  private static int orNone(@Nullable Integer count) {
    return count == null ? -1 : count;
  }

  void settle() {
    rows.trimToSize();
    rows.sort(Batches::compare);
    all = rows.subList(0, (int) rows.stream().filter(BatchRow::isDispatched).count());
    byStart = null;
  }

  /** Those without a dispatch come last. */
  private static int compare(BatchRow one, BatchRow other) {
    if (one.isDispatched() != other.isDispatched()) {
      return one.isDispatched() ? -1 : 1;
    }
    int byDecision = Long.compare(one.decidedAtNs, other.decidedAtNs);
    return byDecision != 0 ? byDecision : BY_KEY.compare(one, other);
  }

  /** The batches that the log holds a dispatch of, by decision. */
  public List<BatchRow> all() {
    return all;
  }

  /** Number of batches that are named anywhere, also by completions and outcomes alone. */
  public int named() {
    return rows.size();
  }

  /** Number of completions whose dispatch the log does not hold. */
  public long completedWithoutDispatch() {
    return rows.stream().filter(row -> !row.isDispatched() && row.isCompleted()).count();
  }

  /** The batches that ran, by start; of equal starts the one decided first. */
  public synchronized List<BatchRow> byStart() {
    if (byStart == null) {
      List<BatchRow> ran = new ArrayList<>(all);
      ran.removeIf(batch -> !batch.ran());
      ran.sort(Comparator.comparingLong(BatchRow::startedAtNs));
      byStart = Collections.unmodifiableList(ran);
    }
    return byStart;
  }
}
