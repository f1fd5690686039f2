package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.LongColumn;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Batches as they are read, in the order in which they were first named. Each is dispatched and
 * completed at most once. Not safe for threads while it is written.
 */
public final class BatchColumns {
  /** A number that there is not. */
  public static final int NONE = -1;

  private static final int RESULT_BITS = 3;

  private final Keys keys = new Keys();
  private int size;
  final IntColumn shard = new IntColumn(0);
  final LongColumn factOffset = new LongColumn(0);
  final IntColumn index = new IntColumn(0);

  final Interned<BatchDispatched.Place> places = new Interned<>();
  final Interned<ModelKey> models = new Interned<>();
  final Interned<String> names = new Interned<>();
  private final Interned<BatchCompleted.Result> results = new Interned<>();
  final Interned<List<String>> termNames = new Interned<>();
  private SortedTerms sorted = new SortedTerms(Map.of());
  final IntColumn place = new IntColumn(NONE);
  final IntColumn model = new IntColumn(0);

  /** Jobs of all batches, each batch's beside one another. */
  final IntColumn members = new IntColumn(0);

  /** Place of a batch's first job. */
  final IntColumn firstMember = new IntColumn(0);

  final IntColumn memberCount = new IntColumn(1);
  final IntColumn samples = new IntColumn(1);
  final IntColumn tokens = new IntColumn(0);
  final IntColumn attempt = new IntColumn(1);
  final LongColumn decidedAtNs = new LongColumn(0);

  /** Time at which the broker appended the dispatch. */
  final LongColumn dispatchedAtEpochMs = new LongColumn(0);

  final LongColumn meanNs = new LongColumn(0);
  final IntColumn source = new IntColumn(0);
  final IntColumn predictedBusyLanes = new IntColumn(NONE);
  final IntColumn modelVersion = new IntColumn(NONE);
  final LongColumn quantileNs = new LongColumn(Jobs.NONE);
  final LongColumn p95Ns = new LongColumn(Jobs.NONE);
  final LongColumn p99Ns = new LongColumn(Jobs.NONE);

  /** Names of a batch's score terms; their values stand beside one another. */
  final IntColumn termSet = new IntColumn(NONE);

  final IntColumn firstTerm = new IntColumn(0);
  final LongColumn terms = new LongColumn(0);

  /** Result, from 1, and above {@value #RESULT_BITS} bits the cause, from 1; 0: no completion. */
  final IntColumn end = new IntColumn(0);

  final LongColumn startedAtNs = new LongColumn(Jobs.NONE);
  final LongColumn serviceNs = new LongColumn(0);

  /** Time of the batch's end on its lane; {@link Jobs#NONE}: it is not known. */
  final LongColumn finishedAtNs = new LongColumn(Jobs.NONE);

  /** Time at which the broker appended the completion. */
  final LongColumn completedAtEpochMs = new LongColumn(0);

  final LongColumn switchNs = new LongColumn(0);

  /** Service time that an emulated lane meant to take; {@link Jobs#NONE}: it did not say. */
  final LongColumn emulatedServiceNs = new LongColumn(Jobs.NONE);

  final IntColumn busyLanes = new IntColumn(NONE);

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

  private int add(int itsShard, long itsFactOffset, int itsIndex) {
    int row = size++;
    shard.set(row, itsShard);
    factOffset.set(row, itsFactOffset);
    index.set(row, itsIndex);
    return row;
  }

  /** Rows by shard and dispatch id: open addressing, at most half full. */
  private final class Keys {
    private int[] rows = filled(64);
    private int count;

    private static int[] filled(int length) {
      var rows = new int[length];
      Arrays.fill(rows, NONE);
      return rows;
    }

    /** The row of a key; below 0: it has none. */
    int get(int itsShard, long itsFactOffset, int itsIndex) {
      for (int at = slot(itsShard, itsFactOffset, itsIndex); ; at = (at + 1) & (rows.length - 1)) {
        int row = rows[at];
        if (row == NONE
            || (factOffset.get(row) == itsFactOffset
                && index.get(row) == itsIndex
                && shard.get(row) == itsShard)) {
          return row;
        }
      }
    }

    /** Enters a row, of which the columns hold the key. */
    void put(int row) {
      if (2 * ++count > rows.length) {
        int[] all = rows;
        rows = filled(2 * all.length);
        IntStream.of(all).filter(old -> old != NONE).forEach(this::enter);
      }
      enter(row);
    }

    private void enter(int row) {
      int at = slot(shard.get(row), factOffset.get(row), index.get(row));
      while (rows[at] != NONE) {
        at = (at + 1) & (rows.length - 1);
      }
      rows[at] = row;
    }

    private int slot(int itsShard, long itsFactOffset, int itsIndex) {
      long mixed = ((itsFactOffset * 31 + itsIndex) * 31 + itsShard) * 0x9e3779b97f4a7c15L;
      return (int) (mixed >>> 32) & (rows.length - 1);
    }
  }

  public boolean isDispatched(int row) {
    return place.get(row) != NONE;
  }

  public boolean isCompleted(int row) {
    return end.get(row) != 0;
  }

  /**
   * Takes a batch's dispatch and its append time.
   *
   * @param jobRow gives the row of a job's id
   */
  public void dispatched(
      int row, BatchDispatched dispatch, long epochMs, ToIntFunction<String> jobRow) {
    BatchDispatched.Work work = dispatch.work();
    place.set(row, places.number(dispatch.place()));
    model.set(row, models.number(work.model()));
    samples.set(row, work.samples());
    tokens.set(row, work.tokens());
    attempt.set(row, work.attempt());
    firstMember.set(row, members.size());
    memberCount.set(row, work.jobs().size());
    work.jobs().forEach(job -> members.add(jobRow.applyAsInt(job.jobId())));
    decidedAtNs.set(row, dispatch.decision().decidedAtNs());
    dispatchedAtEpochMs.set(row, epochMs);
    scored(row, dispatch.decision().scoreTerms());
    predicted(row, dispatch.prediction());
  }

  private void scored(int row, Map<String, Double> scored) {
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

  private void predicted(int row, Prediction prediction) {
    String version = prediction.modelVersion();
    meanNs.set(row, prediction.meanNs());
    source.set(row, names.number(prediction.source()));
    predictedBusyLanes.set(row, orNone(prediction.busyLanes()));
    modelVersion.set(row, version == null ? NONE : names.number(version));
    quantileNs.set(row, orNone(prediction.quantileNs()));
    p95Ns.set(row, orNone(prediction.p95Ns()));
    p99Ns.set(row, orNone(prediction.p99Ns()));
  }

  /** Takes a batch's completion and its append time. */
  public void completed(int row, BatchCompleted completion, long epochMs) {
    int cause = completion.cause() == null ? 0 : 1 + names.number(completion.cause());
    end.set(row, (cause << RESULT_BITS) | (1 + results.number(completion.result())));
    startedAtNs.set(row, orNone(completion.startedAtNs()));
    finishedAtNs.set(row, orNone(completion.finishedAtNs()));
    serviceNs.set(row, completion.serviceNs());
    switchNs.set(row, completion.switchNs());
    emulatedServiceNs.set(row, orNone(completion.emulatedServiceNs()));
    busyLanes.set(row, orNone(completion.busyLanes()));
    completedAtEpochMs.set(row, epochMs);
  }

  private static long orNone(@Nullable Long ns) {
    return ns == null ? Jobs.NONE : ns;
  }

  private static int orNone(@Nullable Integer count) {
    return count == null ? NONE : count;
  }

  /** How the batch ended; null: no completion. */
  BatchCompleted.@Nullable Result result(int row) {
    int said = end.get(row) & ((1 << RESULT_BITS) - 1);
    return said == 0 ? null : results.get(said - 1);
  }

  @Nullable String cause(int row) {
    int said = end.get(row) >>> RESULT_BITS;
    return said == 0 ? null : names.get(said - 1);
  }
}
