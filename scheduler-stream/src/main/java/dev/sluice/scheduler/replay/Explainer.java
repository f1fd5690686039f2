package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Explains one job of a run: feeds the facts of the run's log to a core for each shard, and follows
 * the job through the core of its own. Nothing is kept of other jobs but their ids.
 */
public final class Explainer {
  private final String log;
  private final String jobId;
  private final Supplier<SchedulingCore> newCore;
  private final Map<Integer, Shard> shards = new HashMap<>();
  private final List<String> jobIds = new ArrayList<>();
  private final Set<DispatchId> recordedDispatches = new LinkedHashSet<>();
  private @Nullable JobEnded recordedEnd;
  private long recordedEndAtEpochMs;

  private @Nullable JobWatch watch;

  /** A shard's core and clock. */
  private static final class Shard {
    final SchedulingCore core;
    long nextOffset;
    @Nullable Long timeZeroEpochMs;

    /** Log time of the last fact. */
    long nowNs;

    Shard(SchedulingCore core) {
      this.core = core;
    }

    /** Returns log time; null: the run has not started. */
    @Nullable Long toNs(long appendedAtEpochMs) {
      return timeZeroEpochMs == null
          ? null
          : Long.valueOf((appendedAtEpochMs - timeZeroEpochMs) * 1_000_000);
    }
  }

  public Explainer(String log, String jobId, Supplier<SchedulingCore> newCore) {
    this.log = log;
    this.jobId = jobId;
    this.newCore = newCore;
  }

  /**
   * Takes in a record, in the order of a recording: a fact before what the scheduler made of it.
   */
  public void take(RecordedEntry entry) throws UserMistakeException {
    JobWatch found = watch;
    if (found != null && found.end() != null && recordedEnd != null) {
      return; // no later record matters
    }
    if (entry.topic().equals("facts")) {
      refuseGap(entry);
    }
    if (found != null && found.shard() != entry.partition()) {
      return;
    }
    try {
      switch (entry.topic()) {
        case "facts" -> takeFact(entry, EventCodec.FACTS.read(entry.value()));
        case "dispatches" -> {
          if (found != null
              && EventCodec.DISPATCHES.read(entry.value()) instanceof BatchDispatched batch
              && batch.jobs().stream().anyMatch(job -> job.jobId().equals(jobId))) {
            recordedDispatches.add(batch.dispatchId());
          }
        }
        case "outcomes" -> {
          if (found != null
              && recordedEnd == null
              && EventCodec.OUTCOMES.read(entry.value()) instanceof JobEnded end
              && end.jobId().equals(jobId)) {
            recordedEnd = end;
            recordedEndAtEpochMs = entry.appendedAtEpochMs();
          }
        }
        default -> {} // no part of a job's life
      }
    } catch (UnreadableEventException e) {
      // the scheduler learnt nothing from it either
    }
  }

  /** Refuses a log that lacks facts: decisions rest on all of them. */
  private void refuseGap(RecordedEntry fact) throws UserMistakeException {
    Shard shard = shard(fact.partition());
    if (fact.offset() != shard.nextOffset) {
      throw new UserMistakeException(
          log,
          "facts (%d to %d) of shard %d are missing"
              .formatted(shard.nextOffset, fact.offset() - 1, fact.partition()),
          shard.nextOffset == 0
              ? "retention took them; a job is explained from its shard's first fact on"
              : "the recording was made from a topic that had lost them");
    }
    shard.nextOffset++;
  }

  private Shard shard(int number) {
    return shards.computeIfAbsent(number, made -> new Shard(newCore.get()));
  }

  private void takeFact(RecordedEntry entry, Fact fact) {
    Shard shard = shard(entry.partition());
    if (fact instanceof RunStarted started && shard.timeZeroEpochMs == null) {
      shard.timeZeroEpochMs = started.timeZeroEpochMs();
    }
    Long logNs = shard.toNs(entry.appendedAtEpochMs());
    long appendedNs = logNs == null ? shard.nowNs : logNs;
    if (logNs != null) {
      shard.nowNs = Math.max(shard.nowNs, shard.core.timeNs(appendedNs, fact));
    }
    if (watch == null) {
      noteId(fact);
      watch = JobWatch.beginsWith(fact, jobId, shard.core, entry.partition(), shard.nowNs);
    }
    JobWatch follows = watch;
    if (follows == null) {
      shard.core.apply(entry.offset(), appendedNs, fact, CoreListener.NOBODY);
    } else if (follows.end() == null) {
      follows.before(fact, shard.nowNs);
      shard.core.apply(entry.offset(), appendedNs, fact, follows);
      follows.after();
    }
  }

  private void noteId(Fact fact) {
    if (fact instanceof JobRequested request) {
      jobIds.add(request.jobId());
    } else if (fact instanceof WorkflowRequested workflow) {
      workflow.nodes().forEach(node -> jobIds.add(workflow.requestId() + "/" + node.nodeId()));
    }
  }

  /** Returns the ids of the jobs that were read before the job was found, or of all jobs. */
  public List<String> jobIds() {
    return List.copyOf(jobIds);
  }

  /** Returns the job's timeline; null: no record brought the job. */
  public @Nullable Explanation explanation() {
    JobWatch follows = watch;
    if (follows == null) {
      return null;
    }
    Shard shard = shard(follows.shard());
    Long toldNs = recordedEnd == null ? null : shard.toNs(recordedEndAtEpochMs);
    return follows.explanation(shard.nowNs, toldNs, differences(follows));
  }

  private List<String> differences(JobWatch follows) {
    List<String> differences = new ArrayList<>();
    List<DispatchId> again = follows.dispatches();
    if (!List.copyOf(recordedDispatches).equals(again)) {
      differences.add("recorded dispatches %s, made again %s".formatted(recordedDispatches, again));
    }
    JobEnded end = follows.end();
    if (!Objects.equals(recordedEnd, end)) {
      differences.add("recorded end %s, made again %s".formatted(text(recordedEnd), text(end)));
    }
    return differences;
  }

  private static String text(@Nullable JobEnded end) {
    return end == null
        ? "(none)"
        : "(%s, %s, %s)".formatted(end.status(), end.reason(), end.dispatchId());
  }
}
