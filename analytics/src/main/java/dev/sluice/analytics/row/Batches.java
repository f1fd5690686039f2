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
import java.util.Arrays;
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
      Comparator.<BatchRow>comparingInt(BatchRow::shard)
          .thenComparingLong(batch -> batch.in.idOffset[batch.at])
          .thenComparingInt(batch -> batch.in.idIndex[batch.at]);

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

  /** What figures and tables need of some thousand batches, in columns as that of jobs is. */
  private static final class Columns {
    static final int ROWS = 4096;

    final Batches of;
    final int[] number = new int[ROWS];
    final int[] shard = new int[ROWS];
    final long[] idOffset = new long[ROWS];
    final int[] idIndex = new int[ROWS];

    /** Null: the log does not hold the dispatch, and what it says is not known. */
    final @Nullable BatchKind[] kind = new BatchKind[ROWS];

    final int[] samples = new int[ROWS];
    final int[] tokens = new int[ROWS];
    final int[] attempt = new int[ROWS];
    final long[] decidedAtNs = new long[ROWS];
    final double[][] terms = new double[ROWS][];
    final long[] predictedNs = new long[ROWS];
    final int[] predictedBusyLanes = new int[ROWS];
    final UpperNs[] upperNs = new UpperNs[ROWS];
    final JobRow[][] jobs = new JobRow[ROWS][];
    final long[] dispatchedAtEpochMs = new long[ROWS];
    final @Nullable Result[] result = new Result[ROWS];
    final @Nullable String[] cause = new String[ROWS];
    final long[] startedAtNs = new long[ROWS];
    final long[] finishedAtNs = new long[ROWS];
    final long[] serviceNs = new long[ROWS];
    final long[] switchNs = new long[ROWS];
    final long[] emulatedServiceNs = new long[ROWS];
    final int[] busyLanes = new int[ROWS];
    final long[] completedAtEpochMs = new long[ROWS];

    Columns(Batches of) {
      this.of = of;
      Arrays.fill(terms, new double[0]);
      Arrays.fill(upperNs, UpperNs.NONE);
      Arrays.fill(jobs, new JobRow[0]);
      Arrays.fill(startedAtNs, Jobs.NONE);
      Arrays.fill(finishedAtNs, Jobs.NONE);
      Arrays.fill(emulatedServiceNs, Jobs.NONE);
      Arrays.fill(busyLanes, -1);
    }
  }

  /** A batch: its place in columns. */
  public static final class BatchRow {
    private final Columns in;
    private final int at;

    private BatchRow(Columns in, int at) {
      this.in = in;
      this.at = at;
    }

    private int compareIdTo(DispatchId id) {
      int byOffset = Long.compare(in.idOffset[at], id.factOffset());
      return byOffset != 0 ? byOffset : Integer.compare(in.idIndex[at], id.index());
    }

    /** Number among those that are {@link Batches#named}, from 0, in no order. */
    public int number() {
      return in.number[at];
    }

    /** True if the log holds the batch's dispatch. */
    public boolean isDispatched() {
      return in.kind[at] != null;
    }

    public BatchKind kind() {
      return requireNonNull(in.kind[at]);
    }

    /** Upper bounds of the predicted service time. */
    public UpperNs upperNs() {
      return in.upperNs[at];
    }

    /** Partition of the dispatch; ids are unique within it. */
    public int shard() {
      return in.shard[at];
    }

    public DispatchId id() {
      return new DispatchId(in.idOffset[at], in.idIndex[at]);
    }

    /** Executor and first lane, unique in the run; a text that batches of one kind share. */
    public String laneId() {
      return in.of.laneIds.computeIfAbsent(kind(), BatchKind::laneId);
    }

    /** The jobs of the batch, the chosen one first; not to be changed. */
    public JobRow[] jobs() {
      return in.jobs[at];
    }

    public int samples() {
      return in.samples[at];
    }

    public int tokens() {
      return in.tokens[at];
    }

    public int attempt() {
      return in.attempt[at];
    }

    public long decidedAtNs() {
      return in.decidedAtNs[at];
    }

    /** Time at which the broker appended the dispatch (1 ms resolution). */
    public long appendedAtNs() {
      return in.of.runJobs.sinceZeroNs(in.dispatchedAtEpochMs[at]);
    }

    /** Service time predicted at the decision. */
    public long predictedNs() {
      return in.predictedNs[at];
    }

    /** Busy lanes that the prediction assumed; below 0: it does not say. */
    public int predictedBusyLanes() {
      return in.predictedBusyLanes[at];
    }

    /** Terms of the batch's score by name, in alphabetical order; empty: it has no score. */
    public Map<String, Double> terms() {
      Map<String, Double> byName = new TreeMap<>();
      for (int i = 0; i < in.terms[at].length; i++) {
        byName.put(kind().termNames().get(i), in.terms[at][i]);
      }
      return byName;
    }

    /** Terms of the batch's score: {@code name=value} by name, separated by semicolons. */
    public String scoreTerms() {
      if (in.terms[at].length == 0) {
        return "";
      }
      return terms().entrySet().stream()
          .map(term -> term.getKey() + "=" + Decimals.plain(term.getValue()))
          .collect(Collectors.joining(";"));
    }

    /** True if the log holds the batch's completion. */
    public boolean isCompleted() {
      return in.result[at] != null;
    }

    public boolean isDone() {
      return in.result[at] == Result.DONE;
    }

    public boolean isFailed() {
      return in.result[at] == Result.FAILED;
    }

    /** Why the batch failed or was refused; null: it says nothing. */
    public @Nullable String cause() {
      return in.cause[at];
    }

    /** Result as text: done, failed, refused, lost, or open (no completion, and no job ended). */
    public String result() {
      if (isLost()) {
        return "lost";
      }
      Result result = in.result[at];
      return result == null ? "open" : result.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether the dispatch ended none of its jobs, though they have ended, by another attempt or by
     * giving up: it was never answered, or too late, or by a later incarnation of its executor.
     */
    public boolean isLost() {
      if (in.result[at] == Result.CANCELLED) {
        return false;
      }
      if (in.result[at] == null) {
        return endsAnyJob() || hasJobEndedOtherwise();
      }
      return in.result[at] == Result.REFUSED
          ? Reason.OLDER_INCARNATION.is(in.cause[at])
          : !endsAnyJob() && hasJobEndedOtherwise();
    }

    /** True if the batch ran to its end after one of its jobs had ended otherwise. */
    public boolean isSuperseded() {
      return (isDone() || isFailed()) && hasJobEndedOtherwise();
    }

    private boolean endsAnyJob() {
      for (JobRow job : in.jobs[at]) {
        if (job.isEndedBy(this)) {
          return true;
        }
      }
      return false;
    }

    private boolean hasJobEndedOtherwise() {
      for (JobRow job : in.jobs[at]) {
        if (!job.isEndedBy(this) && job.isEnded()) {
          return true;
        }
      }
      return false;
    }

    public long startedAtNs() {
      return in.startedAtNs[at];
    }

    public long finishedAtNs() {
      return in.finishedAtNs[at];
    }

    /** True if a lane worked on the batch, from a known start to a known end. */
    public boolean ran() {
      return in.startedAtNs[at] != Jobs.NONE && in.finishedAtNs[at] != Jobs.NONE;
    }

    /** Service time; 0 if the batch never ran. */
    public long serviceNs() {
      return in.serviceNs[at];
    }

    /** Part of the service time in which the lane took in another model. */
    public long switchNs() {
      return in.switchNs[at];
    }

    /** Service time that an emulated lane meant to take; none on real lanes. */
    public long emulatedServiceNs() {
      return in.emulatedServiceNs[at];
    }

    /** Lanes that ran a batch when this one began; below 0: it does not say. */
    public int busyLanes() {
      return in.busyLanes[at];
    }

    /** Time at which the broker appended the completion. */
    public long completedAtNs() {
      return in.result[at] == null
          ? Jobs.NONE
          : in.of.runJobs.sinceZeroNs(in.completedAtEpochMs[at]);
    }
  }

  private final Jobs runJobs;

  /** All rows; once they are settled the dispatched ones first, in their order. */
  private final ArrayList<BatchRow> rows = new ArrayList<>();

  /** Columns that further rows go into. */
  private Columns last = new Columns(this);

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
    int at = rows.size() % Columns.ROWS;
    if (at == 0 && !rows.isEmpty()) {
      last = new Columns(this);
    }
    last.number[at] = rows.size();
    last.shard[at] = shard;
    last.idOffset[at] = id.factOffset();
    last.idIndex[at] = id.index();
    var row = new BatchRow(last, at);
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
    Columns in = row.in;
    int at = row.at;
    if (in.kind[at] == null) {
      List<String> termNames = List.of();
      if (!dispatch.decision().scoreTerms().isEmpty()) {
        var terms = new TreeMap<>(dispatch.decision().scoreTerms());
        termNames = List.copyOf(terms.keySet());
        in.terms[at] = terms.values().stream().mapToDouble(term -> term).toArray();
      }
      Prediction prediction = dispatch.prediction();
      in.kind[at] =
          runJobs.shared(
              new BatchKind(
                  dispatch.place(),
                  dispatch.work().model(),
                  termNames,
                  prediction.source(),
                  prediction.modelVersion()));
      in.samples[at] = dispatch.samples();
      in.tokens[at] = dispatch.tokens();
      in.attempt[at] = dispatch.work().attempt();
      in.decidedAtNs[at] = dispatch.decidedAtNs();
      in.predictedNs[at] = prediction.meanNs();
      in.predictedBusyLanes[at] = orNone(prediction.busyLanes());
      in.upperNs[at] = UpperNs.of(prediction);
      JobRow[] jobs = new JobRow[dispatch.jobs().size()];
      for (int i = 0; i < jobs.length; i++) {
        jobs[i] = runJobs.row(dispatch.jobs().get(i).jobId());
      }
      in.jobs[at] = jobs;
      in.dispatchedAtEpochMs[at] = epochMs;
    }
  }

  /** Takes a completion and its append time; a further one of the dispatch changes nothing. */
  public void take(BatchCompleted completion, int shard, long epochMs) {
    BatchRow row = row(shard, completion.dispatchId());
    Columns in = row.in;
    int at = row.at;
    if (in.result[at] == null) {
      in.result[at] = completion.result();
      in.cause[at] = completion.cause() == null ? null : runJobs.shared(completion.cause());
      in.startedAtNs[at] = orNone(completion.startedAtNs());
      in.finishedAtNs[at] = orNone(completion.finishedAtNs());
      in.serviceNs[at] = completion.serviceNs();
      in.switchNs[at] = completion.switchNs();
      in.emulatedServiceNs[at] = orNone(completion.emulatedServiceNs());
      in.busyLanes[at] = orNone(completion.busyLanes());
      in.completedAtEpochMs[at] = epochMs;
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
    int byDecision = Long.compare(one.decidedAtNs(), other.decidedAtNs());
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
