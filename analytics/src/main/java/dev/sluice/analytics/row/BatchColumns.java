package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.LongColumn;
import dev.sluice.analytics.statistic.Space;
import dev.sluice.analytics.statistic.SteadyColumn;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Batches as they are read, in the order in which they were first named. Each is dispatched and
 * completed at most once. Not safe for threads while it is written.
 */
public final class BatchColumns {
  /** A number that there is not. */
  public static final int NONE = -1;

  static final int DONE = 1;
  static final int FAILED = 2;
  static final int REFUSED = 3;
  private static final int RESULT_BITS = 2;

  final Space space;
  private final BatchKeys keys = new BatchKeys(this);
  private int size;
  final IntColumn shard;
  final LongColumn factOffset;
  final IntColumn index;

  final Interned<BatchDispatched.Place> places = new Interned<>();
  final Interned<ModelKey> models = new Interned<>();
  final Interned<String> names = new Interned<>();
  final Interned<List<String>> termNames = new Interned<>();
  private SortedTerms sorted = new SortedTerms(Map.of());
  final IntColumn place;
  final IntColumn model;

  /** Jobs of all batches, each batch's beside one another, less their places here. */
  final IntColumn members;

  /** Place of a batch's first job, less the row. */
  final LongColumn firstMember;

  final IntColumn memberCount;
  final IntColumn samples;
  final IntColumn tokens;
  final IntColumn attempt;
  final LongColumn decidedAtNs;

  /** Beside the decisions. */
  private final AppendTimes dispatched;

  final LongColumn meanNs;
  final IntColumn source;
  final IntColumn predictedBusyLanes;
  final IntColumn modelVersion;
  final LongColumn quantileNs;
  final LongColumn p95Ns;
  final LongColumn p99Ns;

  /** Names of a batch's score terms; their values stand beside one another. */
  final IntColumn termSet;

  final LongColumn firstTerm;
  final LongColumn terms;

  /** Result, from 1, and above {@value #RESULT_BITS} bits the cause, from 1; 0: no completion. */
  final IntColumn end;

  final LongColumn startedAtNs;
  final LongColumn serviceNs;

  /** Ends, less the starts and the service times. */
  private final LongColumn finishAwayNs;

  /** Beside the ends. */
  private final AppendTimes completed;

  final LongColumn switchNs;

  /** What an emulated lane meant to take, less the service time; {@link Jobs#NONE}: nothing. */
  private final SteadyColumn meantAwayNs;

  final IntColumn busyLanes;

  /** Empty columns. */
  public BatchColumns(Space space) {
    this.space = space;
    shard = new IntColumn(space, 0);
    factOffset = new LongColumn(space, 0);
    index = new IntColumn(space, 0);
    place = new IntColumn(space, NONE);
    model = new IntColumn(space, 0);
    members = new IntColumn(space, 0);
    firstMember = new LongColumn(space, 0);
    memberCount = new IntColumn(space, 1);
    samples = new IntColumn(space, 1);
    tokens = new IntColumn(space, 0);
    attempt = new IntColumn(space, 1);
    decidedAtNs = new LongColumn(space, 0);
    dispatched = new AppendTimes(space);
    meanNs = new LongColumn(space, 0);
    source = new IntColumn(space, 0);
    predictedBusyLanes = new IntColumn(space, NONE);
    modelVersion = new IntColumn(space, NONE);
    quantileNs = new LongColumn(space, Jobs.NONE);
    p95Ns = new LongColumn(space, Jobs.NONE);
    p99Ns = new LongColumn(space, Jobs.NONE);
    termSet = new IntColumn(space, NONE);
    firstTerm = new LongColumn(space, 0);
    terms = new LongColumn(space, 0);
    end = new IntColumn(space, 0);
    startedAtNs = new LongColumn(space, Jobs.NONE);
    serviceNs = new LongColumn(space, 0);
    finishAwayNs = new LongColumn(space, 0);
    completed = new AppendTimes(space);
    switchNs = new LongColumn(space, 0);
    meantAwayNs = new SteadyColumn(space);
    busyLanes = new IntColumn(space, NONE);
  }

  /** Number of batches that anything named. */
  public int size() {
    return size;
  }

  /** The row of a batch, a new one if the batch has none. */
  public int row(int itsShard, long itsFactOffset, int itsIndex) {
    int known = keys.get(itsShard, itsFactOffset, itsIndex);
    if (known >= 0) {
      return known;
    }
    int row = add(itsShard, itsFactOffset, itsIndex);
    keys.put(row);
    return row;
  }

  /** A new row, which {@link #row} will not find. */
  public int add(int itsShard, long itsFactOffset, int itsIndex) {
    int row = size++;
    shard.set(row, itsShard);
    factOffset.set(row, itsFactOffset);
    index.set(row, itsIndex);
    return row;
  }

  /**
   * The last row of a batch, found by a walk from the end.
   *
   * @throws IllegalStateException if it has none
   */
  public int last(int itsShard, long itsFactOffset, int itsIndex) {
    for (int row = size - 1; row >= 0; row--) {
      if (factOffset.get(row) == itsFactOffset
          && index.get(row) == itsIndex
          && shard.get(row) == itsShard) {
        return row;
      }
    }
    throw new IllegalStateException("no batch " + itsFactOffset + "-" + itsIndex);
  }

  public boolean isDispatched(int row) {
    return place.get(row) != NONE;
  }

  public boolean isCompleted(int row) {
    return end.get(row) != 0;
  }

  /** The number of an executor with its lanes, a new one if it has none. */
  public int placeNumber(BatchDispatched.Place where) {
    return places.number(where);
  }

  /** The number of a model, a new one if it has none. */
  public int modelNumber(ModelKey what) {
    return models.number(what);
  }

  /**
   * Takes what a batch holds, and where it runs; its jobs follow by {@link #member}.
   *
   * @param itsPlace number of its place
   * @param itsModel number of its model
   * @param jobCount number of its jobs
   */
  public void dispatched(
      int row, int itsPlace, int itsModel, int itsSamples, int itsTokens, int jobCount) {
    place.set(row, itsPlace);
    model.set(row, itsModel);
    samples.set(row, itsSamples);
    tokens.set(row, itsTokens);
    firstMember.set(row, members.size() - row);
    memberCount.set(row, jobCount);
  }

  /** Adds a job to the batch that was dispatched last. */
  public void member(int job) {
    members.add(job - members.size());
  }

  /** Takes a batch's decision. */
  public void decided(
      int row, int itsAttempt, long atNs, long epochMs, Map<String, Double> scored) {
    attempt.set(row, itsAttempt);
    decidedAtNs.set(row, atNs);
    dispatched.set(row, atNs, epochMs);
    if (!scored.isEmpty()) {
      if (!sorted.take(scored)) {
        sorted = new SortedTerms(scored);
      }
      termSet.set(row, termNames.number(sorted.names));
      firstTerm.set(row, terms.size());
      for (double term : sorted.values) {
        terms.add(Double.doubleToRawLongBits(term));
      }
    }
  }

  /** Terms of a score in the order of their names, for scores whose names come in one order. */
  private static final class SortedTerms {
    final List<String> names;
    final double[] values;
    private final String[] asTheyCome;

    /** Place of each name that comes among the sorted ones. */
    private final int[] places;

    SortedTerms(Map<String, Double> scored) {
      asTheyCome = scored.keySet().toArray(new String[0]);
      names = Stream.of(asTheyCome).sorted().toList();
      places = Stream.of(asTheyCome).mapToInt(names::indexOf).toArray();
      values = new double[names.size()];
      take(scored);
    }

    /** Takes the values of a score; false if its names are others or in another order. */
    boolean take(Map<String, Double> scored) {
      int place = 0;
      for (Map.Entry<String, Double> term : scored.entrySet()) {
        if (place == places.length || !term.getKey().equals(asTheyCome[place])) {
          return false;
        }
        values[places[place++]] = term.getValue();
      }
      return place == places.length;
    }
  }

  /** Takes the service time that was predicted for a batch. */
  public void predicted(int row, Prediction prediction) {
    String version = prediction.modelVersion();
    predicted(
        row,
        prediction.meanNs(),
        nameNumber(prediction.source()),
        orNone(prediction.busyLanes()),
        version == null ? NONE : nameNumber(version));
    bounded(
        row,
        orNone(prediction.quantileNs()),
        orNone(prediction.p95Ns()),
        orNone(prediction.p99Ns()));
  }

  /** The number of a source of predictions, or of a model's version; a new one if it has none. */
  public int nameNumber(String name) {
    return names.number(name);
  }

  /**
   * Takes the mean service time that was predicted for a batch.
   *
   * @param itsSource number of its source
   * @param itsVersion number of its model's version; {@link #NONE}: it has none
   */
  public void predicted(int row, long itsMeanNs, int itsSource, int busy, int itsVersion) {
    meanNs.set(row, itsMeanNs);
    source.set(row, itsSource);
    predictedBusyLanes.set(row, busy);
    modelVersion.set(row, itsVersion);
  }

  /** Takes the bounds of a prediction; one that there is not is {@link Jobs#NONE}. */
  public void bounded(int row, long itsQuantileNs, long itsP95Ns, long itsP99Ns) {
    quantileNs.set(row, itsQuantileNs);
    p95Ns.set(row, itsP95Ns);
    p99Ns.set(row, itsP99Ns);
  }

  /** Takes how a batch ended; its times follow by {@link #ran} and {@link #lane}. */
  public void completed(int row, BatchCompleted.Result result, @Nullable String cause) {
    int causeNumber = cause == null ? 0 : 1 + names.number(cause);
    int resultNumber =
        switch (result) {
          case DONE -> DONE;
          case FAILED -> FAILED;
          case REFUSED -> REFUSED;
        };
    end.set(row, (causeNumber << RESULT_BITS) | resultNumber);
  }

  /**
   * Takes the times of a batch on its lane, and of its completion on the log; a time that there is
   * not is {@link Jobs#NONE}.
   */
  public void ran(
      int row, long startNs, long finishNs, long itsServiceNs, long itsSwitchNs, long epochMs) {
    startedAtNs.set(row, startNs);
    serviceNs.set(row, itsServiceNs);
    finishAwayNs.set(row, finishNs - (startNs + itsServiceNs));
    switchNs.set(row, itsSwitchNs);
    completed.set(row, finishNs, epochMs);
  }

  /** When the batch ended on its lane; {@link Jobs#NONE}: that is not known. */
  long finishedAtNs(int row) {
    return startedAtNs.get(row) + serviceNs.get(row) + finishAwayNs.get(row);
  }

  /** When the broker appended the completion, which must have been read. */
  long completedAtEpochMs(int row) {
    return completed.epochMs(row, finishedAtNs(row));
  }

  /** When the broker appended the dispatch, which must have been read. */
  long dispatchedAtEpochMs(int row) {
    return dispatched.epochMs(row, decidedAtNs.get(row));
  }

  /** Takes what a lane meant to take, and how many lanes were busy; null: it does not say. */
  public void lane(int row, @Nullable Long meantNs, @Nullable Integer lanesBusy) {
    lane(row, orNone(meantNs), orNone(lanesBusy));
  }

  /** As the above; what the lane does not say is {@link Jobs#NONE}, or {@link #NONE}. */
  public void lane(int row, long meantNs, int lanesBusy) {
    meantAwayNs.set(row, meantNs == Jobs.NONE ? Jobs.NONE : meantNs - serviceNs.get(row));
    busyLanes.set(row, lanesBusy);
  }

  /** What an emulated lane meant to take; {@link Jobs#NONE}: it did not say, or is real. */
  long emulatedServiceNs(int row) {
    long awayNs = isCompleted(row) ? meantAwayNs.get(row) : Jobs.NONE;
    return awayNs == Jobs.NONE ? Jobs.NONE : serviceNs.get(row) + awayNs;
  }

  private static long orNone(@Nullable Long ns) {
    return ns == null ? Jobs.NONE : ns;
  }

  private static int orNone(@Nullable Integer count) {
    return count == null ? NONE : count;
  }

  /** {@link #DONE}, {@link #FAILED} or {@link #REFUSED}; 0: no completion. */
  int resultNumber(int row) {
    return end.get(row) & ((1 << RESULT_BITS) - 1);
  }

  BatchCompleted.@Nullable Result result(int row) {
    return switch (resultNumber(row)) {
      case DONE -> BatchCompleted.Result.DONE;
      case FAILED -> BatchCompleted.Result.FAILED;
      case REFUSED -> BatchCompleted.Result.REFUSED;
      default -> null;
    };
  }

  @Nullable String cause(int row) {
    int said = end.get(row) >>> RESULT_BITS;
    return said == 0 ? null : names.get(said - 1);
  }
}
