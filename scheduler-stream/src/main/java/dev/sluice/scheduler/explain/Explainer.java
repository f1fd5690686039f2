package dev.sluice.scheduler.explain;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.explain.Explanation.Attempt;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Explains one job of a run: feeds the facts of the run's log to a core for each shard, and follows
 * the job through the core of its own. Nothing is kept of other jobs but their ids.
 */
public final class Explainer {
  private static final long NS_PER_MS = 1_000_000;

  private final String jobId;
  private final Supplier<SchedulingCore> newCore;
  private final Map<Integer, Shard> shards = new HashMap<>();
  private final List<String> jobIds = new ArrayList<>();
  private final List<BatchDispatched> recordedDispatches = new ArrayList<>();
  private @Nullable JobEnded recordedEnd;
  private @Nullable Long recordedEndAtEpochMs;

  /** Shard of the job; null: the job has not come. */
  private @Nullable Shard its;

  private @Nullable JobWatch watch;

  /** A shard's core and clock. */
  private static final class Shard {
    final SchedulingCore core;
    @Nullable Long timeZeroEpochMs;

    /** Log time of the last fact. */
    long nowNs;

    Shard(SchedulingCore core) {
      this.core = core;
    }
  }

  /**
   * @param newCore makes the core of a shard, as the run's scheduler made it
   */
  public Explainer(String jobId, Supplier<SchedulingCore> newCore) {
    this.jobId = jobId;
    this.newCore = newCore;
  }

  /** Returns the shard of the job, whose records alone matter from now on; null: not known yet. */
  public @Nullable Integer shard() {
    JobWatch found = watch;
    return found == null ? null : Integer.valueOf(found.shard());
  }

  /** Returns whether the job has ended and its outcome was read: no later record matters. */
  public boolean isOver() {
    return watch != null && watch.hasEnded() && recordedEnd != null;
  }

  /** Takes in a fact, in the order of its partition and before what the scheduler made of it. */
  public void onFact(int shardNumber, long offset, long appendedAtEpochMs, Fact fact) {
    JobWatch follows = watch;
    if (follows != null && follows.shard() != shardNumber) {
      return;
    }
    Shard shard = shards.computeIfAbsent(shardNumber, number -> new Shard(newCore.get()));
    if (fact instanceof RunStarted started && shard.timeZeroEpochMs == null) {
      shard.timeZeroEpochMs = started.timeZeroEpochMs();
    }
    long appendedNs = shard.nowNs;
    if (shard.timeZeroEpochMs != null) {
      appendedNs = (appendedAtEpochMs - shard.timeZeroEpochMs) * NS_PER_MS;
      shard.nowNs = Math.max(shard.nowNs, shard.core.timeNs(appendedNs, fact));
    }
    if (follows == null) {
      noteId(fact);
      follows = JobWatch.beginsWith(fact, jobId, shard.core, shardNumber, shard.nowNs);
      watch = follows;
      its = follows == null ? null : shard;
    }
    if (follows == null) {
      shard.core.apply(offset, appendedNs, fact, CoreListener.NOBODY);
    } else if (!follows.hasEnded()) {
      follows.before(fact, shard.nowNs);
      shard.core.apply(offset, appendedNs, fact, follows);
      follows.after(fact);
    }
  }

  private void noteId(Fact fact) {
    if (fact instanceof JobRequested request) {
      jobIds.add(request.jobId());
    } else if (fact instanceof WorkflowRequested workflow) {
      workflow.nodes().forEach(node -> jobIds.add(workflow.requestId() + "/" + node.nodeId()));
    }
  }

  /** Takes in a recorded dispatch of the job's shard; dispatches of other jobs may be left out. */
  public void onDispatch(int shard, BatchDispatched dispatch) {
    if (isOfShard(shard)
        && dispatch.work().jobs().stream().anyMatch(job -> job.jobId().equals(jobId))) {
      recordedDispatches.add(dispatch);
    }
  }

  /** Takes in a recorded end; those of other jobs may be left out. */
  public void onEnded(int shard, long appendedAtEpochMs, JobEnded ended) {
    if (isOfShard(shard) && ended.jobId().equals(jobId) && recordedEnd == null) {
      recordedEnd = ended;
      recordedEndAtEpochMs = appendedAtEpochMs;
    }
  }

  private boolean isOfShard(int shard) {
    return watch != null && watch.shard() == shard;
  }

  /** Returns the ids of the jobs that were read before the job was found, or of all jobs. */
  public List<String> jobIds() {
    return List.copyOf(jobIds);
  }

  /** Returns the job's life; null: no record brought the job. */
  public @Nullable Explanation explanation() {
    JobWatch follows = watch;
    Shard shard = its;
    if (follows == null || shard == null) {
      return null;
    }
    Long toldAtNs =
        recordedEndAtEpochMs == null || shard.timeZeroEpochMs == null
            ? null
            : Long.valueOf((recordedEndAtEpochMs - shard.timeZeroEpochMs) * NS_PER_MS);
    return follows.explanation(shard.nowNs, toldAtNs, differences(follows));
  }

  private List<String> differences(JobWatch follows) {
    List<String> differences = new ArrayList<>();
    List<DispatchId> recorded =
        recordedDispatches.stream().map(BatchDispatched::dispatchId).distinct().toList();
    List<DispatchId> again = follows.attempts().stream().map(Attempt::dispatchId).toList();
    if (!recorded.equals(again)) {
      differences.add("recorded dispatches %s, made again %s".formatted(recorded, again));
    }
    JobEnded end = follows.end();
    if (!Objects.equals(recordedEnd, end)) {
      differences.add("recorded end %s, made again %s".formatted(words(recordedEnd), words(end)));
    }
    return differences;
  }

  private static String words(@Nullable JobEnded end) {
    return end == null
        ? "(none)"
        : "(%s, %s, %s)".formatted(end.status(), end.reason(), end.dispatchId());
  }
}
