package dev.sluice.analytics.fold;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.LanesWindow;
import dev.sluice.contract.value.ModelKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What lanes do, from dispatches that may not be committed yet. It forgets a batch when the window
 * of its end is closed. Not thread-safe.
 */
final class LanesFold {
  /** Most batches of a lane in a window. */
  static final int LANE_BATCHES_MAX = 40;

  /**
   * Most batches in a window, unless there are more lanes. A quarter of a second is some 25 pixels
   * of ten seconds on a screen: of 64 lanes at thousands of jobs a second a batch is narrower than
   * two pixels, and only shares can be seen. Listing each would be half of what windows cost.
   */
  static final int BATCHES_MAX = 128;

  /** Log time without a report after which an executor's lanes are not shown. */
  private static final long SILENT_NS_MAX = 10_000_000_000L;

  /** Longest first window: analytics may begin when the run has gone on for long. */
  private static final long FIRST_NS_MAX = 250_000_000L;

  private static final String LOST = "LOST";
  private static final Comparator<LaneBatch> ORDER =
      Comparator.comparingLong((LaneBatch batch) -> batch.decidedNs)
          .thenComparing(batch -> batch.key);

  private final Map<String, ExecutorLanes> executors = new TreeMap<>();
  private final JobCounts counts = new JobCounts();
  private long logTimeNs;
  private long closedNs;
  private int running;
  private int over;

  /** A batch, and those of its jobs that are in no later one. */
  static final class LaneBatch {
    private final DispatchKey key;
    private final long decidedNs;
    private final BatchDispatched dispatch;

    /** Its open jobs at the dispatch, of which {@link #left} have not gone on. */
    private final List<OpenJob> jobs;

    private @Nullable String classType;
    private int left;
    private int waited;
    private int ran;

    /** How it ended, once that is known; null also if its jobs were dispatched again. */
    private @Nullable BatchCompleted completion;

    private boolean lost;

    private LaneBatch(DispatchKey key, BatchDispatched dispatch, List<OpenJob> jobs) {
      this.key = key;
      this.decidedNs = dispatch.decision().decidedAtNs();
      this.dispatch = dispatch;
      this.jobs = jobs;
    }

    private boolean hasEnded() {
      return completion != null || lost;
    }

    private long fromNs() {
      return completion == null || completion.startedAtNs() == null
          ? decidedNs
          : completion.startedAtNs();
    }

    /** End on the lane; that of the window while it is not known. */
    private long toNs(long windowToNs) {
      if (!hasEnded()) {
        return windowToNs;
      }
      return completion == null || completion.finishedAtNs() == null
          ? fromNs() // a refused one took no time
          : completion.finishedAtNs();
    }

    private LanesWindow.Batch asRecord() {
      BatchCompleted known = completion;
      BatchDispatched.Work work = dispatch.work();
      ModelKey model = work.model();
      long predictedNs = dispatch.prediction().meanNs();
      Long p95Ns = dispatch.prediction().p95Ns();
      return new LanesWindow.Batch(
          key.shard() + ":" + key.id(),
          work.attempt(),
          fromNs(),
          known != null && known.startedAtNs() != null,
          known == null ? null : known.finishedAtNs(),
          lost ? LOST : known == null ? null : known.result().name(),
          model.workload(),
          model.backend(),
          model.precision(),
          classType,
          work.jobs().size(),
          work.jobs().get(0).jobId(),
          work.samples(),
          predictedNs == 0 ? null : Double.valueOf(predictedNs / 1e6),
          p95Ns == null ? null : Double.valueOf(p95Ns / 1e6),
          known == null || known.serviceNs() == 0 ? null : Double.valueOf(known.serviceNs() / 1e6),
          dispatch.decision().scoreTerms());
    }
  }

  /** A lane's last model, and its batches that the windows so far have not shown at their end. */
  private static final class LaneState {
    final List<LaneBatch> batches = new ArrayList<>();
    @Nullable ModelKey model;
  }

  /** An executor as its last report has it; before that, what it was given. */
  private static final class ExecutorLanes {
    int shard;
    String deviceKind = "";
    @Nullable Long tokens;
    long reportedNs;

    /** Number of lanes; 0: it has not reported, or it has left. */
    int reported;

    LaneState[] lanes = new LaneState[0];

    /** Makes room for a number of lanes. */
    void grow(int count) {
      if (count > lanes.length) {
        int before = lanes.length;
        lanes = Arrays.copyOf(lanes, count);
        Arrays.setAll(lanes, i -> i < before ? lanes[i] : new LaneState());
      }
    }
  }

  void onReported(ExecutorReported report, int shard, long atNs) {
    logTimeNs = Math.max(logTimeNs, atNs);
    ExecutorLanes of = executor(report.executorId());
    if (report.leaving()) {
      of.reported = 0;
      return;
    }
    of.shard = shard;
    of.deviceKind = report.deviceKind();
    of.tokens = report.tokens();
    of.reportedNs = logTimeNs;
    of.reported = report.lanes().size();
    of.grow(of.reported);
  }

  private ExecutorLanes executor(String id) {
    return executors.computeIfAbsent(id, unknown -> new ExecutorLanes());
  }

  void onRequested(long atNs) {
    counts.changed(atNs, 1, 1, 0);
  }

  /**
   * A new batch; its jobs follow one by one, then {@link #begin}.
   *
   * @param jobs list that the caller fills with the jobs that join
   */
  LaneBatch batch(DispatchKey key, BatchDispatched dispatch, List<OpenJob> jobs) {
    return new LaneBatch(key, dispatch, jobs);
  }

  /** Moves an open job into the batch. */
  void join(LaneBatch batch, OpenJob job) {
    if (job.laneBatch != null) {
      batch.ran++;
    } else if (!job.over) {
      batch.waited++;
    }
    leave(job);
    job.laneBatch = batch;
    batch.classType = batch.classType == null ? job.classType : batch.classType;
    batch.left++;
    running++;
  }

  /** Puts the batch on its lanes; one without open jobs has ended before. */
  void begin(LaneBatch batch) {
    BatchDispatched.Place place = batch.dispatch.place();
    counts.changed(batch.decidedNs, 0, -batch.waited, batch.left - batch.ran);
    ExecutorLanes executor = executor(place.executorId());
    for (int index : place.lanes()) {
      executor.grow(index + 1);
      LaneState lane = executor.lanes[index];
      lane.model = batch.dispatch.work().model();
      if (batch.left > 0) {
        lane.batches.add(batch);
      }
    }
  }

  /** Takes a job out of the batch in which it was last, or from those that are over. */
  private void leave(OpenJob job) {
    LaneBatch batch = job.laneBatch;
    if (batch != null) {
      running--;
      job.laneBatch = null;
      batch.left--;
      batch.lost = batch.left == 0 && batch.completion == null;
    } else if (job.over) {
      over--;
      job.over = false;
    }
  }

  void onCompleted(LaneBatch batch, BatchCompleted completion) {
    if (batch.hasEnded()) {
      return;
    }
    batch.completion = completion;
    boolean refused = completion.result() == BatchCompleted.Result.REFUSED;
    counts.changed(
        completion.finishedAtNs() == null ? batch.decidedNs : completion.finishedAtNs(),
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

  /** Number of jobs held, none of whose outcomes has been read. */
  int remembered() {
    return running + over;
  }

  /**
   * Closes the window that ends at a time. What was read of later times waits for its own window:
   * requests are read sooner than the dispatches that they led to.
   */
  LanesWindow close(long toNs) {
    closedNs = closedNs == 0 ? Math.max(0, toNs - FIRST_NS_MAX) : closedNs;
    counts.moveTo(toNs);
    int batchesMax = batchesMax(executors.values());
    List<LanesWindow.Executor> shown = new ArrayList<>();
    executors.forEach(
        (id, executor) -> {
          if (executor.reported > 0 && logTimeNs - executor.reportedNs <= SILENT_NS_MAX) {
            List<LanesWindow.Lane> lanes = new ArrayList<>(executor.reported);
            for (int lane = 0; lane < executor.reported; lane++) {
              lanes.add(window(lane, executor.lanes[lane], toNs, batchesMax));
            }
            shown.add(
                new LanesWindow.Executor(
                    id, executor.shard, executor.deviceKind, executor.tokens, lanes));
          }
        });
    var window =
        new LanesWindow(
            closedNs, toNs, counts.requested(), counts.waiting(), counts.running(), shown);
    closedNs = toNs;
    executors.values().forEach(executor -> forgetEnded(executor, toNs));
    return window;
  }

  /** Most batches listed of a lane, so that the lanes together stay within their limit. */
  private static int batchesMax(Collection<ExecutorLanes> executors) {
    int[] lanes = new int[LANE_BATCHES_MAX + 1]; // numbers of lanes by batches
    for (ExecutorLanes executor : executors) {
      for (LaneState lane : executor.lanes) {
        lanes[Math.min(LANE_BATCHES_MAX, lane.batches.size())]++;
      }
    }
    int listed = 0;
    int more = 0;
    for (int batches = LANE_BATCHES_MAX; batches > 0; batches--) {
      more += lanes[batches];
      listed += more;
    }
    int max = LANE_BATCHES_MAX;
    for (int above = lanes[max]; listed > BATCHES_MAX && max > 1; above += lanes[max]) {
      listed -= above;
      max--;
    }
    return max;
  }

  private static void forgetEnded(ExecutorLanes executor, long toNs) {
    for (LaneState lane : executor.lanes) {
      lane.batches.removeIf(batch -> batch.hasEnded() && batch.toNs(toNs) <= toNs);
    }
  }

  private LanesWindow.Lane window(int index, LaneState lane, long toNs, int batchesMax) {
    List<LaneBatch> batches = lane.batches;
    batches.sort(ORDER);
    int end = batches.size(); // a batch may be known that begins later
    while (end > 0 && batches.get(end - 1).fromNs() > toNs) {
      end--;
    }
    int begin = Math.max(0, end - batchesMax); // the running one is the last
    List<LanesWindow.Batch> listed = new ArrayList<>(end - begin);
    for (int i = begin; i < end; i++) {
      listed.add(batches.get(i).asRecord());
    }
    ModelKey model = lane.model;
    return new LanesWindow.Lane(
        index,
        share(batches.subList(0, end), toNs),
        model == null ? null : model.workload() + "/" + model.backend() + "/" + model.precision(),
        listed,
        share(batches.subList(0, begin), toNs));
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
