package dev.sluice.harness.simulate;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.row.BatchColumns;
import dev.sluice.analytics.row.JobColumns;
import dev.sluice.analytics.row.JobStatus;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.producer.requests.JobKind;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.scheduler.translation.SimulatedLog;
import dev.sluice.scheduler.translation.Translation;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.fact.Prediction;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Rows of a simulation, made from the blocks of a {@link RowTape} without records of a log in
 * between: equal to those that the fold makes of the records of {@link SimulatedLog}. What comes
 * seldom goes by way of these. Not safe for threads.
 */
final class TapedRows implements Consumer<RowTape.Block> {
  private static final long NS_PER_MS = 1_000_000;
  private static final int NOT_YET = -1;

  private static final CoreFact.Result[] RESULTS_OF_CORE = CoreFact.Result.values();
  private static final BatchCompleted.Result[] RESULTS =
      Arrays.stream(RESULTS_OF_CORE)
          .map(result -> BatchCompleted.Result.valueOf(result.name()))
          .toArray(BatchCompleted.Result[]::new);
  private static final JobStatus[] STATUSES =
      Arrays.stream(JobEnd.Status.values())
          .map(status -> JobStatus.valueOf(status.name()))
          .toArray(JobStatus[]::new);
  private static final Prediction.Source[] SOURCES = Prediction.Source.values();

  private final RunFold fold;
  private final JobColumns jobs;
  private final BatchColumns batches;
  private final boolean emulated;
  private final SimulationListener others;
  private final RequestList requests;

  /** Numbers of the kinds of requests among those of jobs, and those of models. */
  private final int[] kindNumbers;

  private final int[] modelNumbers;

  /** Numbers of the sources of predictions. */
  private final int[] sourceNumbers = new int[SOURCES.length];

  /** Numbers of the places where the last batch ran, by shard and lane. */
  private final int[][] placeNumbers;

  /** Objects of the block at hand that were not taken yet. */
  private Iterator<Object> objects = Collections.emptyIterator();

  /**
   * @param experiment whose lanes say the intended duration of their batches if they are emulated
   * @param requests list that the simulation's jobs come from
   * @param others takes what comes seldom, for the same fold
   */
  TapedRows(RunFold fold, Experiment experiment, RequestList requests, SimulationListener others) {
    this.fold = fold;
    this.requests = requests;
    this.others = others;
    emulated = experiment.lanes().emulated();
    jobs = fold.jobs();
    batches = fold.batches();
    kindNumbers = new int[requests.kinds().size()];
    Arrays.fill(kindNumbers, NOT_YET);
    modelNumbers = kindNumbers.clone();
    Arrays.fill(sourceNumbers, NOT_YET);
    placeNumbers = new int[experiment.kafka().shards()][experiment.lanes().count()];
  }

  private static long epochMs(long appendedAtNs) {
    return SimulatedLog.TIME_ZERO_EPOCH_MS + appendedAtNs / NS_PER_MS;
  }

  @Override
  public void accept(RowTape.Block block) {
    long[] numbers = block.numbers;
    objects = block.objects.iterator();
    int at = 0;
    while (at < block.size) {
      at +=
          switch (RowTape.low(numbers[at])) {
            case RowTape.REQUESTED -> requested(numbers, at);
            case RowTape.STARTED -> started(numbers, at);
            case RowTape.COMPLETED -> completed(numbers, at);
            case RowTape.ENDED -> ended(numbers, at);
            default -> told();
          };
    }
  }

  private int told() {
    ((ToldBeside.Call) objects.next()).tell(others);
    return 1;
  }

  private int requested(long[] from, int at) {
    int shard = RowTape.high(from[at]);
    int index = RowTape.low(from[at + 1]);
    int row = jobs.row(index);
    long atEpochMs = epochMs(from[at + 2]);
    if (!jobs.isRequested(row)) {
      int kind = requests.kindNumber(index);
      JobKind its = requests.kinds().get(kind);
      jobs.requested(
          row,
          kindNumber(kind, its),
          RowTape.high(from[at + 1]),
          index,
          its.samples(),
          its.sloNs());
      jobs.requestedAt(row, from[at + 3], from[at + 4], shard, atEpochMs);
      requests.digestThrough(index); // this thread waits for the simulation anyway
    }
    fold.appended(shard, atEpochMs);
    return RowTape.NUMBERS_OF_REQUEST;
  }

  private int kindNumber(int kind, JobKind its) {
    if (kindNumbers[kind] == NOT_YET) {
      kindNumbers[kind] =
          jobs.kindNumber(
              new dev.sluice.analytics.row.JobKind(
                  its.classType(), its.workload(), its.backend(), its.precision()));
    }
    return kindNumbers[kind];
  }

  private int modelNumber(int firstJob) {
    int kind = requests.kindNumber(firstJob);
    if (modelNumbers[kind] == NOT_YET) {
      JobKind its = requests.kinds().get(kind);
      modelNumbers[kind] =
          batches.modelNumber(new ModelKey(its.workload(), its.backend(), its.precision()));
    }
    return modelNumbers[kind];
  }

  private int sourceNumber(int ordinal) {
    if (sourceNumbers[ordinal] == NOT_YET) {
      sourceNumbers[ordinal] = batches.nameNumber(Translation.toEvent(SOURCES[ordinal]));
    }
    return sourceNumbers[ordinal];
  }

  @SuppressWarnings("unchecked") // the tape wrote what its bits say
  private int started(long[] from, int at) {
    int shard = RowTape.high(from[at]);
    int lane = RowTape.high(from[at + 2]);
    int row = batches.add(shard, from[at + 1], RowTape.low(from[at + 2]));
    if (row != from[at + 13]) {
      throw new IllegalStateException("batch " + from[at + 13] + " got row " + row);
    }
    int with = (int) from[at + 7];
    if ((with & RowTape.WITH_PLACE) != 0) {
      Dispatch.Place place = (Dispatch.Place) objects.next();
      placeNumbers[shard][lane] =
          batches.placeNumber(
              new BatchDispatched.Place(place.executorId(), place.incarnation(), place.lanes()));
    }
    int version =
        (with & RowTape.WITH_VERSION) == 0
            ? BatchColumns.NONE
            : batches.nameNumber((String) objects.next());
    Map<String, Double> terms =
        (with & RowTape.WITH_TERMS) == 0 ? Map.of() : (Map<String, Double>) objects.next();
    int jobsFrom = at + RowTape.NUMBERS_OF_START;
    int count = RowTape.low(from[at + 4]);
    batches.dispatched(
        row,
        placeNumbers[shard][lane],
        modelNumber((int) from[jobsFrom]),
        RowTape.low(from[at + 3]),
        RowTape.high(from[at + 3]),
        count);
    for (int i = 0; i < count; i++) {
      batches.member(jobs.row((int) from[jobsFrom + i]));
    }
    batches.decided(row, RowTape.high(from[at + 4]), from[at + 5], epochMs(from[at + 6]), terms);
    batches.predicted(
        row,
        from[at + 9],
        sourceNumber(RowTape.high(from[at + 8])),
        RowTape.low(from[at + 8]),
        version);
    batches.bounded(row, from[at + 10], from[at + 11], from[at + 12]);
    return RowTape.NUMBERS_OF_START + count;
  }

  private int completed(long[] from, int at) {
    int shard = RowTape.high(from[at]);
    int row = RowTape.low(from[at + 1]);
    int result = RowTape.high(from[at + 1]);
    boolean refused = RESULTS_OF_CORE[result] == CoreFact.Result.REFUSED;
    long atEpochMs = epochMs(from[at + 2]);
    String cause = RowTape.high(from[at + 7]) == 0 ? null : (String) objects.next();
    batches.completed(row, RESULTS[result], cause);
    batches.ran(
        row,
        refused ? Jobs.NONE : from[at + 3],
        refused ? Jobs.NONE : from[at + 4],
        from[at + 5],
        0,
        atEpochMs);
    batches.lane(
        row,
        emulated && !refused ? from[at + 6] : Jobs.NONE,
        refused ? BatchColumns.NONE : RowTape.low(from[at + 7]));
    fold.appended(shard, atEpochMs);
    return RowTape.NUMBERS_OF_COMPLETION;
  }

  private int ended(long[] from, int at) {
    int shard = RowTape.high(from[at]);
    int row = jobs.row(RowTape.low(from[at + 1]));
    int batch = RowTape.low(from[at + 2]);
    int attempt = RowTape.high(from[at + 2]);
    boolean byName = batch == RowTape.BATCH_BY_NAME;
    if (byName) {
      batch = batches.last(shard, from[at + 5], (int) from[at + 6]);
    }
    String reason = (attempt & 1) == 0 ? null : (String) objects.next();
    jobs.ended(
        row,
        STATUSES[RowTape.high(from[at + 1])],
        reason == null ? null : Translation.toEvent(reason),
        batch,
        attempt >> 1);
    jobs.endedAt(row, from[at + 4], epochMs(from[at + 3]));
    return RowTape.NUMBERS_OF_END + (byName ? 2 : 0);
  }
}
