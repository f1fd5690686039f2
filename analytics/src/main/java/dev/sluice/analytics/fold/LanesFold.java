package dev.sluice.analytics.fold;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.window.LanesWindow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What lanes do, from dispatches that may not be committed yet. It forgets a batch when the window
 * of its end is closed. Not thread-safe.
 */
final class LanesFold {
  /** Most batches of a lane in a window. */
  static final int LANE_BATCHES_MAX = 40;

  /**
   * Most batches in a window, unless there are more lanes: more of them cost more than they show.
   */
  private static final int BATCHES_MAX = 400;

  /** Log time without a report after which an executor's lanes are not shown. */
  private static final long SILENT_NS_MAX = 10_000_000_000L;

  /** Longest first window: analytics may begin when the run has gone on for long. */
  private static final long FIRST_NS_MAX = 250_000_000L;

  private static final String LOST = "LOST";
  private static final Comparator<LaneBatch> ORDER =
      Comparator.comparingLong((LaneBatch batch) -> batch.decidedNs)
          .thenComparing(batch -> batch.key);

  private final Map<DispatchKey, LaneBatch> open = new LinkedHashMap<>();
  private final List<LaneBatch> ended = new ArrayList<>();
  private final Map<DispatchKey, End> early = new HashMap<>();
  private final Map<Integer, DispatchId> lastDispatch = new HashMap<>();
  private final Map<String, ExecutorLanes> executors = new TreeMap<>();
  private final JobCounts counts = new JobCounts();
  private long logTimeNs;
  private long closedNs;
  private int running;
  private int over;

  /** How a batch ended. */
  private record End(
      String result, @Nullable Long startedNs, @Nullable Long finishedNs, long serviceNs) {
    static End of(BatchCompleted completion) {
      return new End(
          completion.result().name(),
          completion.startedAtNs(),
          completion.finishedAtNs(),
          completion.serviceNs());
    }
  }

  /** A batch, and those of its jobs that are in no later one. */
  static final class LaneBatch {
    private final DispatchKey key;
    private final String executorId;
    private final List<Integer> lanes;
    private final long decidedNs;
    private final ModelKey model;
    private final int jobCount;
    private final int samples;
    private final int attempt;
    private final long predictedNs;
    private final @Nullable Long p95Ns;
    private final Map<String, Double> scoreTerms;
    private final String firstJob;
    private final List<OpenJob> jobs = new ArrayList<>();
    private @Nullable String classType;
    private int left;
    private @Nullable End end;

    private LaneBatch(DispatchKey key, BatchDispatched dispatch) {
      this.key = key;
      this.executorId = dispatch.place().executorId();
      this.lanes = dispatch.place().lanes();
      this.decidedNs = dispatch.decision().decidedAtNs();
      this.model = dispatch.work().model();
      this.jobCount = dispatch.work().jobs().size();
      this.samples = dispatch.work().samples();
      this.attempt = dispatch.work().attempt();
      this.predictedNs = dispatch.prediction().meanNs();
      this.p95Ns = dispatch.prediction().p95Ns();
      this.scoreTerms = dispatch.decision().scoreTerms();
      this.firstJob = dispatch.work().jobs().get(0).jobId();
    }

    private long fromNs() {
      return end == null || end.startedNs == null ? decidedNs : end.startedNs;
    }

    /** End on the lane; that of the window while it is not known. */
    private long toNs(long windowToNs) {
      if (end == null) {
        return windowToNs;
      }
      return end.finishedNs == null ? fromNs() : end.finishedNs; // a refused one took no time
    }

    private LanesWindow.Batch asRecord() {
      End known = end;
      return new LanesWindow.Batch(
          key.shard() + ":" + key.id(),
          attempt,
          fromNs(),
          known != null && known.startedNs != null,
          known == null ? null : known.finishedNs,
          known == null ? null : known.result,
          model.workload(),
          model.backend(),
          model.precision(),
          classType,
          jobCount,
          firstJob,
          samples,
          predictedNs == 0 ? null : Double.valueOf(predictedNs / 1e6),
          p95Ns == null ? null : Double.valueOf(p95Ns / 1e6),
          known == null || known.serviceNs == 0 ? null : Double.valueOf(known.serviceNs / 1e6),
          scoreTerms);
    }
  }

  /** An executor as its last report has it, and its lanes' last models. */
  private static final class ExecutorLanes {
    int shard;
    String deviceKind;
    @Nullable Long tokens;
    long reportedNs;
    @Nullable String[] models = new @Nullable String[0];

    ExecutorLanes(ExecutorReported report) {
      this.deviceKind = report.deviceKind();
    }
  }

  void onReported(ExecutorReported report, int shard, long atNs) {
    logTimeNs = Math.max(logTimeNs, atNs);
    if (report.leaving()) {
      executors.remove(report.executorId());
      return;
    }
    ExecutorLanes of =
        executors.computeIfAbsent(report.executorId(), id -> new ExecutorLanes(report));
    of.shard = shard;
    of.deviceKind = report.deviceKind();
    of.tokens = report.tokens();
    of.reportedNs = logTimeNs;
    if (of.models.length != report.lanes().size()) {
      of.models = Arrays.copyOf(of.models, report.lanes().size());
    }
  }

  void onRequested(long atNs) {
    counts.changed(atNs, 1, 1, 0);
  }

  /**
   * @param jobs the open job of an id; null: there is none
   */
  void onDispatch(BatchDispatched dispatch, int shard, Function<String, @Nullable OpenJob> jobs) {
    DispatchId last = lastDispatch.get(shard);
    if (last != null && dispatch.dispatchId().compareTo(last) <= 0) {
      return; // a further copy, or the committed one
    }
    lastDispatch.put(shard, dispatch.dispatchId());
    var batch = new LaneBatch(new DispatchKey(shard, dispatch.dispatchId()), dispatch);
    int waited = 0;
    int ran = 0;
    for (BatchDispatched.DispatchedJob member : dispatch.work().jobs()) {
      OpenJob job = jobs.apply(member.jobId());
      if (job != null) {
        waited += job.laneBatch == null && !job.over ? 1 : 0;
        ran += job.laneBatch == null ? 0 : 1;
        leave(job);
        job.laneBatch = batch;
        batch.classType = batch.classType == null ? job.classType : batch.classType;
        batch.jobs.add(job);
        running++;
      }
    }
    batch.left = batch.jobs.size();
    counts.changed(batch.decidedNs, 0, -waited, batch.left - ran);
    ExecutorLanes executor = executors.get(batch.executorId);
    if (executor != null) {
      for (int lane : batch.lanes) {
        if (lane < executor.models.length) {
          executor.models[lane] = text(batch.model);
        }
      }
    }
    End end = early.remove(batch.key);
    if (batch.left > 0) {
      open.put(batch.key, batch);
      if (end != null) {
        end(batch, end);
      }
    }
  }

  private static String text(ModelKey model) {
    return model.workload() + "/" + model.backend() + "/" + model.precision();
  }

  /** Takes a job out of the batch in which it was last, or from those that are over. */
  private void leave(OpenJob job) {
    LaneBatch batch = job.laneBatch;
    if (batch != null) {
      running--;
      job.laneBatch = null;
      batch.left--;
      if (batch.left == 0 && open.remove(batch.key) != null) {
        batch.end = new End(LOST, null, null, 0);
        ended.add(batch);
      }
    } else if (job.over) {
      over--;
      job.over = false;
    }
  }

  void onCompleted(BatchCompleted completion, DispatchKey key) {
    LaneBatch batch = open.get(key);
    if (batch != null) {
      end(batch, End.of(completion));
      return;
    }
    DispatchId last = lastDispatch.get(key.shard());
    if (last == null || key.id().compareTo(last) > 0) {
      early.putIfAbsent(key, End.of(completion));
    }
  }

  private void end(LaneBatch batch, End end) {
    open.remove(batch.key);
    batch.end = end;
    ended.add(batch);
    boolean refused = end.result.equals(BatchCompleted.Result.REFUSED.name());
    counts.changed(
        end.finishedNs == null ? batch.decidedNs : end.finishedNs,
        0,
        refused ? batch.left : 0,
        -batch.left);
    for (OpenJob job : batch.jobs) {
      if (job.laneBatch == batch) {
        job.laneBatch = null;
        running--;
        job.over = !refused;
        over += refused ? 0 : 1;
      }
    }
    batch.jobs.clear();
  }

  /** Takes a job's committed outcome: it waits and runs no longer. */
  void onJobEnded(OpenJob job, long atNs) {
    if (job.laneBatch != null) {
      counts.changed(atNs, 0, 0, -1);
    } else if (!job.over) {
      counts.changed(atNs, 0, -1, 0);
    }
    leave(job);
  }

  /** Number of batches and completions held, none of which stood in a window after its end. */
  int remembered() {
    return open.size() + early.size() + running + over;
  }

  /**
   * Closes the window that ends at a time. What was read of later times waits for its own window:
   * requests are read sooner than the dispatches that they led to.
   */
  LanesWindow close(long toNs) {
    closedNs = closedNs == 0 ? Math.max(0, toNs - FIRST_NS_MAX) : closedNs;
    counts.moveTo(toNs);
    Map<String, List<List<LaneBatch>>> byLane = byLane(toNs);
    int lanes = byLane.values().stream().mapToInt(List::size).sum();
    int batchesMax = Math.max(1, Math.min(LANE_BATCHES_MAX, BATCHES_MAX / Math.max(1, lanes)));
    List<LanesWindow.Executor> shown = new ArrayList<>();
    byLane.forEach(
        (id, ofLanes) -> {
          ExecutorLanes executor = executors.get(id);
          List<LanesWindow.Lane> windows = new ArrayList<>();
          for (int lane = 0; executor != null && lane < ofLanes.size(); lane++) {
            windows.add(lane(lane, executor.models[lane], ofLanes.get(lane), toNs, batchesMax));
          }
          if (executor != null) {
            shown.add(
                new LanesWindow.Executor(
                    id, executor.shard, executor.deviceKind, executor.tokens, windows));
          }
        });
    var window =
        new LanesWindow(
            closedNs, toNs, counts.requested(), counts.waiting(), counts.running(), shown);
    closedNs = toNs;
    ended.removeIf(batch -> batch.toNs(toNs) <= toNs);
    return window;
  }

  private Map<String, List<List<LaneBatch>>> byLane(long toNs) {
    Map<String, List<List<LaneBatch>>> byLane = new TreeMap<>();
    executors.forEach(
        (id, executor) -> {
          if (logTimeNs - executor.reportedNs <= SILENT_NS_MAX) {
            List<List<LaneBatch>> lanes = new ArrayList<>();
            for (int lane = 0; lane < executor.models.length; lane++) {
              lanes.add(new ArrayList<>());
            }
            byLane.put(id, lanes);
          }
        });
    ended.forEach(batch -> put(batch, toNs, byLane));
    open.values().forEach(batch -> put(batch, toNs, byLane));
    return byLane;
  }

  private static void put(LaneBatch batch, long toNs, Map<String, List<List<LaneBatch>>> byLane) {
    if (batch.fromNs() > toNs) {
      return;
    }
    List<List<LaneBatch>> lanes = byLane.getOrDefault(batch.executorId, List.of());
    for (int lane : batch.lanes) {
      if (lane < lanes.size()) {
        lanes.get(lane).add(batch);
      }
    }
  }

  private LanesWindow.Lane lane(
      int index, @Nullable String model, List<LaneBatch> batches, long toNs, int batchesMax) {
    batches.sort(ORDER);
    int beyond = Math.max(0, batches.size() - batchesMax);
    List<LaneBatch> listed = batches.subList(beyond, batches.size()); // the running one is the last
    return new LanesWindow.Lane(
        index,
        share(batches, toNs),
        model,
        listed.stream().map(LaneBatch::asRecord).toList(),
        share(batches.subList(0, beyond), toNs));
  }

  /** Share of the window in which any of the batches ran. */
  private double share(List<LaneBatch> batches, long toNs) {
    long busyNs = 0;
    long untilNs = closedNs;
    for (LaneBatch batch : batches) {
      long fromNs = Math.max(untilNs, batch.fromNs());
      long endNs = Math.min(toNs, batch.toNs(toNs));
      if (endNs > fromNs) {
        busyNs += endNs - fromNs;
        untilNs = endNs;
      }
    }
    return toNs <= closedNs ? 0 : (double) busyNs / (toNs - closedNs);
  }
}
