package dev.sluice.analytics.row;

import static java.util.Objects.requireNonNull;

import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Attempts to run batches, by decision, ties by shard and id. A batch is a number: {@code for (int
 * i = 0; i < batches.size(); i++) { int batch = batches.at(i); … }}.
 *
 * <p>A time that there is not is {@link Jobs#NONE}. Not safe for threads while it is written.
 */
public final class Batches {
  /** What figures and tables need of a batch: a run has up to a million. */
  private static final class Row {
    final int shard;
    final long idOffset;
    final int idIndex;

    /** Null: the log does not hold the dispatch, and what it says is not known. */
    @Nullable BatchKind kind;

    int samples;
    int tokens;
    int attempt;
    long decidedAtNs;
    double[] terms = {};
    long predictedNs;
    int predictedBusyLanes;

    /** Null: the prediction has none. */
    @Nullable UpperNs upperNs;

    int[] jobs = {};
    long dispatchedAtEpochMs;
    @Nullable Result result;
    @Nullable String cause;
    long startedAtNs = Jobs.NONE;
    long finishedAtNs = Jobs.NONE;
    long serviceNs;
    long switchNs;
    long emulatedServiceNs = Jobs.NONE;
    int busyLanes = -1;
    long completedAtEpochMs;

    Row(int shard, DispatchId id) {
      this.shard = shard;
      this.idOffset = id.factOffset();
      this.idIndex = id.index();
    }
  }

  /** What many batches share. */
  private record BatchKind(
      BatchDispatched.Place place,
      ModelKey model,
      List<String> termNames,
      String predictionSource,
      @Nullable String modelVersion) {}

  /** Upper bounds of a service time. */
  private record UpperNs(long quantileNs, long p95Ns, long p99Ns) {
    static final UpperNs NONE = new UpperNs(Jobs.NONE, Jobs.NONE, Jobs.NONE);
  }

  private final Jobs jobs;
  private final ArrayList<Row> rows = new ArrayList<>();

  /** Rows by shard and id; empty once they are settled, since figures ask for no id. */
  private final Map<Integer, Map<DispatchId, Integer>> rowsByShard = new HashMap<>();

  private int[] order = {};

  Batches(Jobs jobs) {
    this.jobs = jobs;
  }

  /** The row of a batch, a new one if the batch has none. */
  int row(int shard, DispatchId id) {
    if (rowsByShard.isEmpty()) {
      for (int i = 0; i < rows.size(); i++) {
        rowsOf(rows.get(i).shard).put(id(i), i);
      }
    }
    Integer known = rowsOf(shard).putIfAbsent(id, rows.size());
    if (known == null) {
      rows.add(new Row(shard, id));
    }
    return known == null ? rows.size() - 1 : known;
  }

  private Map<DispatchId, Integer> rowsOf(int shard) {
    return rowsByShard.computeIfAbsent(shard, any -> new HashMap<>());
  }

  /** Takes a dispatch and its append time; a further copy changes nothing. */
  public void take(BatchDispatched dispatch, int shard, long epochMs) {
    Row row = rows.get(row(shard, dispatch.dispatchId()));
    if (row.kind == null) {
      var terms = new TreeMap<>(dispatch.decision().scoreTerms());
      Prediction prediction = dispatch.prediction();
      var upperNs =
          new UpperNs(
              orNone(prediction.quantileNs()),
              orNone(prediction.p95Ns()),
              orNone(prediction.p99Ns()));
      row.kind =
          jobs.shared(
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
      row.terms = terms.values().stream().mapToDouble(term -> term).toArray();
      row.predictedNs = prediction.meanNs();
      row.predictedBusyLanes = orNone(prediction.busyLanes());
      row.upperNs = upperNs.equals(UpperNs.NONE) ? null : upperNs;
      row.jobs = dispatch.jobs().stream().mapToInt(job -> jobs.row(job.jobId())).toArray();
      row.dispatchedAtEpochMs = epochMs;
    }
  }

  /** Takes a completion and its append time; a further one of the dispatch changes nothing. */
  public void take(BatchCompleted completion, int shard, long epochMs) {
    Row row = rows.get(row(shard, completion.dispatchId()));
    if (row.result == null) {
      row.result = completion.result();
      row.cause = completion.cause() == null ? null : jobs.shared(completion.cause());
      row.startedAtNs = orNone(completion.startedAtNs());
      row.finishedAtNs = orNone(completion.finishedAtNs());
      row.serviceNs = completion.serviceNs();
      row.switchNs = completion.switchNs();
      row.emulatedServiceNs = orNone(completion.emulatedServiceNs());
      row.busyLanes = orNone(completion.busyLanes());
      row.completedAtEpochMs = epochMs;
    }
  }

  void settle() {
    rowsByShard.clear();
    rows.trimToSize();
    order =
        ordered(
            IntStream.range(0, rows.size()).filter(this::isDispatched),
            Comparator.<Integer>comparingLong(this::decidedAtNs).thenComparing(byKey()));
  }

  /** Rows in an order; those that stand in it already, as most do, need no sorting. */
  static int[] ordered(IntStream rows, Comparator<Integer> order) {
    int[] all = rows.toArray();
    for (int i = 1; i < all.length; i++) {
      if (order.compare(all[i - 1], all[i]) > 0) {
        return IntStream.of(all).boxed().sorted(order).mapToInt(row -> row).toArray();
      }
    }
    return all;
  }

  /** Order by shard, then by id. */
  public Comparator<Integer> byKey() {
    return Comparator.<Integer>comparingInt(this::shard)
        .thenComparingLong(batch -> rows.get(batch).idOffset)
        .thenComparingInt(batch -> rows.get(batch).idIndex);
  }

  public int size() {
    return order.length;
  }

  public boolean isEmpty() {
    return order.length == 0;
  }

  /** The batch at a place of the order, from 0. */
  public int at(int place) {
    return order[place];
  }

  /** Number of batches that are named anywhere, also by completions and outcomes alone. */
  public int named() {
    return rows.size();
  }

  /** True if the log holds the batch's dispatch. */
  public boolean isDispatched(int batch) {
    return rows.get(batch).kind != null;
  }

  private BatchKind kind(int batch) {
    return requireNonNull(rows.get(batch).kind);
  }

  private UpperNs upperNs(int batch) {
    UpperNs upperNs = rows.get(batch).upperNs;
    return upperNs == null ? UpperNs.NONE : upperNs;
  }

  /** Partition of the dispatch; ids are unique within it. */
  public int shard(int batch) {
    return rows.get(batch).shard;
  }

  public DispatchId id(int batch) {
    return new DispatchId(rows.get(batch).idOffset, rows.get(batch).idIndex);
  }

  public BatchDispatched.Place place(int batch) {
    return kind(batch).place();
  }

  /** Executor and first lane, unique in the run. */
  public String laneId(int batch) {
    return place(batch).executorId() + "/" + place(batch).lanes().get(0);
  }

  public ModelKey model(int batch) {
    return kind(batch).model();
  }

  /** The jobs of the batch, the chosen one first; not to be changed. */
  public int[] jobs(int batch) {
    return rows.get(batch).jobs;
  }

  public int samples(int batch) {
    return rows.get(batch).samples;
  }

  public int tokens(int batch) {
    return rows.get(batch).tokens;
  }

  public int attempt(int batch) {
    return rows.get(batch).attempt;
  }

  public long decidedAtNs(int batch) {
    return rows.get(batch).decidedAtNs;
  }

  /** Time at which the broker appended the dispatch (1 ms resolution). */
  public long appendedAtNs(int batch) {
    return jobs.sinceZeroNs(rows.get(batch).dispatchedAtEpochMs);
  }

  /** Service time predicted at the decision. */
  public long predictedNs(int batch) {
    return rows.get(batch).predictedNs;
  }

  public String predictionSource(int batch) {
    return kind(batch).predictionSource();
  }

  /** Busy lanes that the prediction assumed; below 0: it does not say. */
  public int predictedBusyLanes(int batch) {
    return rows.get(batch).predictedBusyLanes;
  }

  /** Version of the published table that gave the prediction; null: no table did. */
  public @Nullable String modelVersion(int batch) {
    return kind(batch).modelVersion();
  }

  /** Upper bound of {@code predictor.quantile}. */
  public long predictedQuantileNs(int batch) {
    return upperNs(batch).quantileNs();
  }

  /** Upper bound with probability 0.95. */
  public long predictedP95Ns(int batch) {
    return upperNs(batch).p95Ns();
  }

  /** Upper bound with probability 0.99. */
  public long predictedP99Ns(int batch) {
    return upperNs(batch).p99Ns();
  }

  private static long orNone(@Nullable Long ns) {
    return ns == null ? Jobs.NONE : ns;
  }

  private static int orNone(@Nullable Integer count) {
    return count == null ? -1 : count;
  }

  /** Terms of the batch's score by name, in alphabetical order; empty: it has no score. */
  public Map<String, Double> terms(int batch) {
    Row row = rows.get(batch);
    Map<String, Double> terms = new TreeMap<>();
    for (int i = 0; i < row.terms.length; i++) {
      terms.put(kind(batch).termNames().get(i), row.terms[i]);
    }
    return terms;
  }

  /** Terms of the batch's score: {@code name=value} by name, separated by semicolons. */
  public String scoreTerms(int batch) {
    return terms(batch).entrySet().stream()
        .map(term -> term.getKey() + "=" + Decimals.plain(term.getValue()))
        .collect(Collectors.joining(";"));
  }

  /** True if the log holds the batch's completion. */
  public boolean isCompleted(int batch) {
    return rows.get(batch).result != null;
  }

  public boolean isDone(int batch) {
    return rows.get(batch).result == Result.DONE;
  }

  public boolean isFailed(int batch) {
    return rows.get(batch).result == Result.FAILED;
  }

  /** Why the batch failed or was refused; null: it says nothing. */
  public @Nullable String cause(int batch) {
    return rows.get(batch).cause;
  }

  /** Result as text: done, failed, refused, lost, or open (no completion, and no job ended). */
  public String result(int batch) {
    if (isLost(batch)) {
      return "lost";
    }
    Result result = rows.get(batch).result;
    return result == null ? "open" : result.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Whether the dispatch ended none of its jobs, though they have ended, by another attempt or by
   * giving up: it was never answered, or too late, or by a later incarnation of its executor.
   */
  public boolean isLost(int batch) {
    Result result = rows.get(batch).result;
    if (result == Result.CANCELLED) {
      return false;
    }
    if (result == null) {
      return endsAnyJob(batch) || hasJobEndedOtherwise(batch);
    }
    return result == Result.REFUSED
        ? Reason.OLDER_INCARNATION.is(cause(batch))
        : !endsAnyJob(batch) && hasJobEndedOtherwise(batch);
  }

  /** True if the batch ran to its end after one of its jobs had ended otherwise. */
  public boolean isSuperseded(int batch) {
    return (isDone(batch) || isFailed(batch)) && hasJobEndedOtherwise(batch);
  }

  private boolean endsAnyJob(int batch) {
    for (int job : jobs(batch)) {
      if (jobs.isEndedBy(job, batch)) {
        return true;
      }
    }
    return false;
  }

  private boolean hasJobEndedOtherwise(int batch) {
    for (int job : jobs(batch)) {
      if (!jobs.isEndedBy(job, batch) && jobs.isEnded(job)) {
        return true;
      }
    }
    return false;
  }

  public long startedAtNs(int batch) {
    return rows.get(batch).startedAtNs;
  }

  public long finishedAtNs(int batch) {
    return rows.get(batch).finishedAtNs;
  }

  /** True if a lane worked on the batch, from a known start to a known end. */
  public boolean ran(int batch) {
    return startedAtNs(batch) != Jobs.NONE && finishedAtNs(batch) != Jobs.NONE;
  }

  /** Service time; 0 if the batch never ran. */
  public long serviceNs(int batch) {
    return rows.get(batch).serviceNs;
  }

  /** Part of the service time in which the lane took in another model. */
  public long switchNs(int batch) {
    return rows.get(batch).switchNs;
  }

  /** Service time that an emulated lane meant to take; none on real lanes. */
  public long emulatedServiceNs(int batch) {
    return rows.get(batch).emulatedServiceNs;
  }

  /** Lanes that ran a batch when this one began; below 0: it does not say. */
  public int busyLanes(int batch) {
    return rows.get(batch).busyLanes;
  }

  /** The batches that ran, by start; of equal starts the one decided first. */
  public int[] byStart() {
    return ordered(
        IntStream.of(order).filter(this::ran), Comparator.comparingLong(this::startedAtNs));
  }

  /** Time at which the broker appended the completion. */
  public long completedAtNs(int batch) {
    return isCompleted(batch) ? jobs.sinceZeroNs(rows.get(batch).completedAtEpochMs) : Jobs.NONE;
  }
}
