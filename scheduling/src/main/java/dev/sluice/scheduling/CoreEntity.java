package dev.sluice.scheduling;

import java.util.List;
import java.util.Map;

/**
 * One entity of the core's state, as a driver keeps it. A core restored from all of them goes on as
 * the first would have. Plain values only, so that any format can hold them.
 */
public sealed interface CoreEntity {
  /** Unique among all entities; starts with the kind of the entity. */
  String key();

  /**
   * A job that waits.
   *
   * @param entry the sequence in which the core took its jobs in
   * @param appendedAtNs log time of its arrival; its micro-batch window starts here
   * @param attempts how many dispatches of it were lost or failed so far, refusals not counted
   */
  record WaitingJob(JobSpec spec, long entry, long appendedAtNs, int attempts)
      implements CoreEntity {
    @Override
    public String key() {
      return "job/" + spec.id();
    }
  }

  /** A batch that runs, with all that is needed to put its jobs back. */
  record RunningBatch(Dispatch dispatch, List<WaitingJob> jobs) implements CoreEntity {
    public RunningBatch {
      jobs = List.copyOf(jobs);
    }

    @Override
    public String key() {
      return "batch/" + dispatch.name();
    }
  }

  /**
   * An executor, in the order in which executors joined.
   *
   * @param idleSinceNs per lane: when it last became idle
   */
  record Executor(int order, CoreFact.ExecutorReported report, List<Long> idleSinceNs)
      implements CoreEntity {
    public Executor {
      idleSinceNs = List.copyOf(idleSinceNs);
    }

    @Override
    public String key() {
      return "executor/" + report.executorId();
    }
  }

  /** A running mean of service times of one device kind, model and joined samples. */
  record RunningMean(
      String deviceKind,
      String workload,
      String backend,
      String precision,
      int samples,
      long count,
      double meanNs)
      implements CoreEntity {
    @Override
    public String key() {
      return "mean/"
          + deviceKind
          + "/"
          + workload
          + "/"
          + backend
          + "/"
          + precision
          + "/"
          + samples;
    }
  }

  /**
   * What there is once.
   *
   * @param nowNs the last log time
   * @param nextEntry the next job's entry
   * @param sources how many there are; 0 before the run started
   * @param indexBySource highest index seen from each source
   * @param sourcesEnded those that will send no more, ascending
   * @param policyWakeAtNs until when the policy's last answer starts nothing; {@link
   *     Long#MAX_VALUE}: it named no time
   */
  record Progress(
      long nowNs,
      long nextEntry,
      int sources,
      Map<Integer, Long> indexBySource,
      List<Integer> sourcesEnded,
      long policyWakeAtNs)
      implements CoreEntity {
    public Progress {
      indexBySource = Map.copyOf(indexBySource);
      sourcesEnded = List.copyOf(sourcesEnded);
    }

    @Override
    public String key() {
      return "progress";
    }
  }
}
