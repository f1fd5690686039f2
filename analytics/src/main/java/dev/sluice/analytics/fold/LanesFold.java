package dev.sluice.analytics.fold;

import dev.sluice.analytics.fold.LiveFold.DispatchKey;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.value.ModelKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Batches of each lane that have ended since the last record, and the number of batches that it
 * holds. Not thread-safe.
 */
final class LanesFold {
  /**
   * Most batches in a record, unless there are more lanes. Beyond them a batch is narrower than two
   * pixels of ten seconds on a screen, and only the share of busy time can be seen.
   */
  static final int BATCHES_MAX = 512;

  /** Log time without a report after which an executor's lanes are not shown. */
  private static final long SILENT_NS_MAX = 10_000_000_000L;

  private final Map<String, ExecutorLanes> executors = new TreeMap<>();

  private static final class LaneState {
    final Deque<BatchesEnded.Batch> ended = new ArrayDeque<>();
    int underWay;

    /** Times of batches that are not listed: start of the first, end of the last, sum. */
    long fromNs = Long.MAX_VALUE;

    long toNs;
    long busyNs;

    void cutTo(int batchesMax) {
      while (ended.size() > batchesMax) {
        BatchesEnded.Batch first = ended.remove();
        fromNs = Math.min(fromNs, first.startedNs());
        toNs = Math.max(toNs, first.finishedNs());
        busyNs += first.finishedNs() - first.startedNs();
      }
    }

    BatchesEnded.Lane take(int index, int batchesMax) {
      cutTo(batchesMax);
      BatchesEnded.More more =
          toNs <= fromNs
              ? null
              : new BatchesEnded.More(fromNs, toNs, Math.min(1, (double) busyNs / (toNs - fromNs)));
      var lane = new BatchesEnded.Lane(index, underWay, List.copyOf(ended), more);
      ended.clear();
      fromNs = Long.MAX_VALUE;
      toNs = 0;
      busyNs = 0;
      return lane;
    }
  }

  private static final class ExecutorLanes {
    final TreeMap<Integer, LaneState> lanes = new TreeMap<>();

    /** Log time of its last report; null: it has left, or not reported. */
    @Nullable Long reportedNs;

    LaneState lane(int index) {
      return lanes.computeIfAbsent(index, unknown -> new LaneState());
    }

    boolean isThere(long nowNs) {
      return reportedNs != null && nowNs - reportedNs <= SILENT_NS_MAX;
    }
  }

  void onReported(ExecutorReported report, long atNs) {
    ExecutorLanes of = executor(report.executorId());
    if (report.leaving()) {
      of.reportedNs = null;
      return;
    }
    of.reportedNs = atNs;
    of.lanes.tailMap(report.lanes().size()).clear();
    report.lanes().forEach(lane -> of.lane(lane.index()).underWay = lane.holds().size());
  }

  private ExecutorLanes executor(String id) {
    return executors.computeIfAbsent(id, unknown -> new ExecutorLanes());
  }

  /** Takes the end of a batch, null if it was lost, and the class of its first job, if known. */
  void onEnded(
      DispatchKey key,
      BatchDispatched dispatch,
      @Nullable String classType,
      @Nullable BatchCompleted completion) {
    BatchDispatched.Work work = dispatch.work();
    ModelKey model = work.model();
    long startedNs = dispatch.decision().decidedAtNs();
    long finishedNs = startedNs;
    if (completion != null && completion.startedAtNs() != null) {
      startedNs = completion.startedAtNs();
      finishedNs = completion.finishedAtNs() == null ? startedNs : completion.finishedAtNs();
    }
    long predictedNs = dispatch.prediction().meanNs();
    Long p95Ns = dispatch.prediction().p95Ns();
    var batch =
        new BatchesEnded.Batch(
            key.shard() + ":" + key.id(),
            work.attempt(),
            startedNs,
            finishedNs,
            completion == null ? "LOST" : completion.result().name(),
            model.workload(),
            model.backend(),
            model.precision(),
            classType,
            work.jobs().size(),
            work.jobs().get(0).jobId(),
            work.samples(),
            predictedNs == 0 ? null : Double.valueOf(predictedNs / 1e6),
            p95Ns == null ? null : Double.valueOf(p95Ns / 1e6),
            completion == null || completion.serviceNs() == 0
                ? null
                : Double.valueOf(completion.serviceNs() / 1e6),
            dispatch.decision().scoreTerms());
    BatchDispatched.Place place = dispatch.place();
    ExecutorLanes executor = executor(place.executorId());
    for (int index : place.lanes()) {
      LaneState lane = executor.lane(index);
      lane.ended.add(batch);
      lane.cutTo(BATCHES_MAX);
    }
  }

  /** The batches that ended since the last call, and what lanes hold now. */
  BatchesEnded take(long nowNs) {
    executors
        .values()
        .forEach(
            executor -> {
              if (!executor.isThere(nowNs)) {
                executor.lanes.values().removeIf(lane -> lane.ended.isEmpty());
                executor.lanes.values().forEach(lane -> lane.underWay = 0);
              }
            });
    executors.values().removeIf(executor -> executor.lanes.isEmpty());
    long lanesWithBatches =
        executors.values().stream()
            .flatMap(executor -> executor.lanes.values().stream())
            .filter(lane -> !lane.ended.isEmpty())
            .count();
    int batchesMax = (int) Math.max(1, BATCHES_MAX / Math.max(1, lanesWithBatches));
    List<BatchesEnded.Executor> told = new ArrayList<>();
    executors.forEach(
        (id, executor) -> {
          List<BatchesEnded.Lane> lanes = new ArrayList<>();
          executor.lanes.forEach((index, lane) -> lanes.add(lane.take(index, batchesMax)));
          told.add(new BatchesEnded.Executor(id, lanes));
        });
    return new BatchesEnded(nowNs, told);
  }
}
