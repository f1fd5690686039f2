package dev.sluice.analytics.live;

import dev.sluice.analytics.fold.MetricsWindows;
import dev.sluice.analytics.row.FinishedBatch;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.file.UserMistakeException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The seconds of a finished run, from its rows: in memory when it ends, or in its folder. Both are
 * equal, and sums over all are the run's totals. They differ from the topic's in little: a job
 * waits until the decision of the batch that ended it.
 */
public final class FinishedWindows {
  private final MetricsWindows windows = new MetricsWindows();
  private final Set<String> lanes = new HashSet<>();

  private FinishedWindows() {}

  /** The seconds of a run, from its folder. */
  public static List<MetricsWindow> of(FinishedRun run) throws UserMistakeException {
    return of(RunSource.of(run));
  }

  static List<MetricsWindow> of(RunSource source) throws UserMistakeException {
    RunConfig config = source.config();
    var made = new FinishedWindows();
    source.batches(made::take);
    source.countJobs(made);
    source.blocked(span -> made.windows.blocked(span.fromNs(), span.toNs(), span.cause()));
    Long tokensOfOne = config.tokensOfAnExecutor();
    int count = Math.max(config.shards(), (int) made.executors());
    Long tokens = tokensOfOne == null ? null : Long.valueOf(tokensOfOne * count);
    var machine = new MetricsWindows.Machine(source.lanes(), tokens, 0); // there from the beginning
    return made.windows.closeThrough(made.windows.lastEndNs(), (from, to) -> machine);
  }

  /** Number of executors that were given a batch. */
  private long executors() {
    return lanes.stream().map(id -> id.substring(0, id.lastIndexOf('/'))).distinct().count();
  }

  /**
   * Counts an attempt. When the tokens of one that was never answered came back, the tables do not
   * say.
   */
  void take(FinishedBatch batch) {
    lanes.add(batch.laneId());
    if (batch.times().ran()) {
      windows.busy(batch.startedNs(), batch.endedNs());
    }
    long completedNs = batch.times().completedNs();
    if (completedNs == Jobs.NONE) {
      return;
    }
    windows.tokensHeld(batch.times().decidedNs(), batch.tokens());
    windows.tokensHeld(completedNs, -batch.tokens());
    FinishedBatch.Predicted predicted = batch.predicted();
    long serviceNs = batch.serviceNs();
    if (serviceNs != Jobs.NONE && batch.result().equals("done") && predicted.meanNs() > 0) {
      windows.predicted(
          completedNs,
          (double) (serviceNs - predicted.meanNs()) / predicted.meanNs(),
          predicted.p95Ns() != Jobs.NONE && serviceNs > predicted.p95Ns(),
          predicted.p99Ns() != Jobs.NONE && serviceNs > predicted.p99Ns());
    }
  }

  /**
   * Counts a job.
   *
   * @param latenessNs send call, less the intended arrival
   * @param appendedNs the broker's append of the request, in whole milliseconds
   * @param decidedNs decision of the dispatch that ended the job; {@link Jobs#NONE}: none did
   * @param endedNs the broker's append of that dispatch's completion, else of the outcome, in whole
   *     milliseconds; {@link Jobs#NONE}: neither is in the log
   * @param endToEndNs end − intended arrival; 0 unless the job is done
   * @param inTime whether the job is done within its promise
   */
  void take(
      String classType,
      JobStatus status,
      long latenessNs,
      long appendedNs,
      long decidedNs,
      long endedNs,
      long endToEndNs,
      boolean inTime) {
    windows.requested(classType, appendedNs, latenessNs);
    boolean ran = decidedNs != Jobs.NONE;
    if (ran) {
      windows.moved(classType, decidedNs, -1, 1);
    }
    if (status != JobStatus.OPEN && endedNs != Jobs.NONE) {
      windows.moved(classType, endedNs, ran ? 0 : -1, ran ? -1 : 0);
      JobEnded.Status fate = JobEnded.Status.valueOf(status.name());
      windows.ended(classType, endedNs, fate, endToEndNs, inTime);
    }
  }
}
