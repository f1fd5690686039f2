package dev.sluice.analytics.live;

import dev.sluice.analytics.fold.MetricsWindows;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.FinishedBatch;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.row.JobStatus;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The seconds of a finished run, from its rows: in memory when it ends, or in its folder. Both are
 * equal, and sums over all are the run's totals. They differ from the topic's in little: a job
 * waits until the decision of the batch that ended it.
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
    source.countInto(made);
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

  /** Counts an attempt. */
  void take(FinishedBatch batch) {
    given(batch.laneId());
    if (batch.times().ran()) {
      busy(batch.startedNs(), batch.endedNs());
    }
    long completedNs = batch.times().completedNs();
    if (completedNs == Jobs.NONE) {
      return;
    }
    answered(batch.times().decidedNs(), completedNs, batch.tokens());
    if (batch.serviceNs() != Jobs.NONE && batch.result().equals("done")) {
      FinishedBatch.Predicted predicted = batch.predicted();
      predicted(
          completedNs, batch.serviceNs(), predicted.meanNs(), predicted.p95Ns(), predicted.p99Ns());
    }
  }

  /** Counts a lane that was given a batch. */
  void given(String laneId) {
    lanes.add(laneId);
  }

  /** Counts a lane's time with a batch. */
  void busy(long startedNs, long endedNs) {
    windows.busy(startedNs, endedNs);
  }

  /**
   * Counts the tokens of an attempt that was answered. When those of one that never was came back,
   * the tables do not say.
   */
  void answered(long decidedNs, long completedNs, long tokens) {
    windows.tokensHeld(decidedNs, tokens);
    windows.tokensHeld(completedNs, -tokens);
  }

  /**
   * Counts the prediction of a batch that is done.
   *
   * @param meanNs predicted service time; 0: none
   * @param p95Ns its upper bound with the probability 0.95; {@link Jobs#NONE}: unknown
   * @param p99Ns its upper bound with the probability 0.99; {@link Jobs#NONE}: unknown
   */
  void predicted(long completedNs, long serviceNs, long meanNs, long p95Ns, long p99Ns) {
    if (meanNs > 0) {
      windows.predicted(
          completedNs,
          (double) (serviceNs - meanNs) / meanNs,
          p95Ns != Jobs.NONE && serviceNs > p95Ns,
          p99Ns != Jobs.NONE && serviceNs > p99Ns);
    }
  }

  /** Counts a job's request. */
  void requested(String classType, long appendedNs, long latenessNs) {
    windows.requested(classType, appendedNs, latenessNs);
  }

  /**
   * Counts until when a job waits, and until when it runs.
   *
   * @param decidedNs decision of the batch that ended it; {@link Jobs#NONE}: none did
   * @param endedNs its end; {@link Jobs#NONE}: not known
   */
  void moved(String classType, JobStatus status, long decidedNs, long endedNs) {
    boolean ran = decidedNs != Jobs.NONE;
    if (ran) {
      windows.moved(classType, decidedNs, -1, 1);
    }
    if (endedNs != Jobs.NONE && status != JobStatus.OPEN) {
      windows.moved(classType, endedNs, ran ? 0 : -1, ran ? -1 : 0);
    }
  }

  /** Counts a job's end, if its account is whole. */
  void ended(String classType, long endedNs, JobStatus status, long endToEndNs, boolean inTime) {
    JobEnded.@Nullable Status fate =
        switch (status) {
          case DONE -> JobEnded.Status.DONE;
          case DROPPED -> JobEnded.Status.DROPPED;
          case FAILED -> JobEnded.Status.FAILED;
          case OPEN -> null;
        };
    if (fate != null) {
      windows.ended(classType, endedNs, fate, endToEndNs, inTime);
    }
  }
}
