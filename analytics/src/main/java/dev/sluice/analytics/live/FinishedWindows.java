package dev.sluice.analytics.live;

import dev.sluice.analytics.fold.MetricsWindows;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.row.JobStatus;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.window.MetricsWindow;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The seconds of a finished run, from its rows: in memory when it ends, or in its folder. Both are
 * equal, and sums over all are the run's totals. They differ from the topic's in little: a job
 * without a batch ends when its outcome was appended, and a job waits until the decision of the
 * batch that ended it.
 */
public final class FinishedWindows {
  private final MetricsWindows windows = new MetricsWindows();
  private final Set<String> lanes = new HashSet<>();

  private FinishedWindows() {}

  /** The seconds of a run that has just ended. */
  public static List<MetricsWindow> of(RunRows run) {
    RunConfig config = RunConfig.of(ResolvedConfig.write(run.context().experiment()));
    try {
      return of(new MemoryRows(run), config);
    } catch (UserMistakeException e) {
      throw new IllegalStateException("rows in memory cannot be read", e);
    }
  }

  /**
   * The seconds of a run, from its folder.
   *
   * @throws UserMistakeException if a file of the folder is missing or cannot be read
   */
  public static List<MetricsWindow> of(FinishedRun run) throws UserMistakeException {
    return of(RunSource.of(run), Run.of(run).config());
  }

  static List<MetricsWindow> of(RunSource source, RunConfig config) throws UserMistakeException {
    var made = new FinishedWindows();
    source.batches(made::take);
    source.jobs(made::take);
    source.blocked(span -> made.windows.blocked(span.fromNs(), span.toNs(), span.cause()));
    Long tokensOfOne = config.tokensOfAnExecutor();
    int count = Math.max(config.shards(), (int) made.executors());
    Long tokens = tokensOfOne == null ? null : Long.valueOf(tokensOfOne * count);
    return made.windows.closeThrough(
        made.windows.lastEndNs(), new FinishedMachine(source.lanes(), tokens));
  }

  /** Number of executors that were given a batch. */
  private long executors() {
    return lanes.stream().map(id -> id.substring(0, id.lastIndexOf('/'))).distinct().count();
  }

  /** Lanes and tokens of a finished run: they were there from its beginning. */
  private record FinishedMachine(int lanes, @Nullable Long tokens)
      implements MetricsWindows.Machine {
    @Override
    public int lanesAt(long ns) {
      return lanes;
    }

    @Override
    public @Nullable Long tokensAt(long ns) {
      return tokens;
    }

    @Override
    public double busyNs(long fromNs, long toNs) {
      return 0;
    }
  }

  private void take(RunBatch batch) {
    lanes.add(batch.laneId());
    Long startedNs = batch.times().startedNs();
    Long endedNs = batch.times().endedNs();
    Long completedNs = batch.times().completedNs();
    if (startedNs != null && endedNs != null) {
      windows.busy(startedNs, endedNs);
    }
    if (completedNs == null) {
      return; // never answered: when its tokens came back, the tables do not say
    }
    windows.tokensHeld(batch.times().decidedNs(), batch.tokens());
    windows.tokensHeld(completedNs, -batch.tokens());
    Long serviceNs = batch.serviceNs();
    RunBatch.Predicted predicted = batch.predicted();
    if (serviceNs != null && batch.result().equals("done") && predicted.meanNs() > 0) {
      windows.predicted(
          completedNs,
          (double) (serviceNs - predicted.meanNs()) / predicted.meanNs(),
          isBeyond(serviceNs, predicted.p95Ns()),
          isBeyond(serviceNs, predicted.p99Ns()));
    }
  }

  private static boolean isBeyond(long serviceNs, @Nullable Long boundNs) {
    return boundNs != null && serviceNs > boundNs;
  }

  private void take(RunJob job) {
    windows.requested(job.classType(), job.appendedNs(), job.sentNs() - job.intendedNs());
    Long decidedNs = job.decidedNs();
    if (decidedNs != null) {
      windows.moved(job.classType(), decidedNs, -1, 1);
    }
    Long endedNs = job.endedNs();
    if (endedNs == null || job.status() == JobStatus.OPEN) {
      return;
    }
    windows.moved(job.classType(), endedNs, decidedNs == null ? -1 : 0, decidedNs == null ? 0 : -1);
    windows.ended(
        job.classType(),
        endedNs,
        JobEnded.Status.valueOf(job.status().name()),
        job.endToEndNs(),
        job.inTime());
  }
}
