package dev.sluice.scheduling.core;

import dev.sluice.scheduling.core.InvalidChoiceException.Rule;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.LaneMemory;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.List;

/**
 * Checks each answer of a policy before it is applied, and names the broken rule.
 *
 * @param loads whether the policy loads models by itself
 */
record DecisionCheck(CoreState state, String policy, boolean loads) {
  record Checked(List<QueuedJob> jobs, ExecutorLane lane, int samples, int tokens) {}

  void check(Choice.Nothing nothing) {
    if (nothing.untilNs() <= state.nowNs()) {
      throw broken(
          Rule.WAKE_IN_PAST,
          "nothing until (%d), and it is (%d)".formatted(nothing.untilNs(), state.nowNs()));
    }
  }

  Batch check(Choice.Cancel cancel) {
    ExecutorLane lane = known(cancel.lane());
    if (!lane.mayCancel() || lane.held.get(0).decidedAtNs() >= state.nowNs()) {
      throw broken(Rule.NOTHING_TO_CANCEL, "lane (%s) with %s".formatted(lane, lane.held));
    }
    return lane.held.get(0);
  }

  /** Returns the lane, whose memory has room for what it is to load. */
  ExecutorLane check(Choice.Prepare prepare) {
    ExecutorLane lane = known(prepare.lane());
    LaneMemory memory = lane.memory;
    if (memory == null || !loads || (prepare.load().isEmpty() && prepare.release().isEmpty())) {
      throw broken(Rule.UNSUPPORTED, prepare.toString());
    }
    long freeBytes = memory.freeBytes();
    for (SchedulerState.Resident released : prepare.release()) {
      if (!(released instanceof LaneMemory.Resident resident)
          || !memory.residents.contains(resident)
          || !resident.isLoaded()
          || resident.isInUse()) {
        throw broken(
            Rule.NOTHING_TO_RELEASE,
            "lane (%s) releases (%s) of %s".formatted(lane, released, memory.residents));
      }
      freeBytes += resident.bytes();
    }
    for (SchedulerState.CompatibleSet set : prepare.load()) {
      long bytes = state.memoryBytes(set, lane);
      if (bytes == 0 || state.resident(set, lane) != null) {
        throw broken(
            Rule.NOTHING_TO_LOAD,
            "lane (%s) loads (%s) beside %s".formatted(lane, set.name(), memory.residents));
      }
      freeBytes -= bytes;
    }
    if (freeBytes < 0) {
      throw broken(
          Rule.MEMORY_EXCEEDED,
          "lane (%s) lacks (%d) bytes beside %s".formatted(lane, -freeBytes, memory.residents));
    }
    return lane;
  }

  Checked check(Choice.Start start) {
    ExecutorLane lane = checkLanes(start);
    List<QueuedJob> jobs = checkJobs(start.batch());
    int count = jobs.size();
    JobGroup group = jobs.get(0).group;
    int lanes = start.lanes().size();
    if (group.lanesNeeded() != lanes) {
      throw broken(
          Rule.GANG_SIZE,
          "jobs %s of (%d) lanes on lanes %s".formatted(jobs, group.lanesNeeded(), start.lanes()));
    }
    if (!state.canRun(lane, group)) {
      throw broken(Rule.CANNOT_RUN, "jobs %s on lane (%s)".formatted(jobs, lane));
    }
    if (loads && !state.isLoaded(group.set, lane)) {
      throw broken(Rule.MODEL_NOT_LOADED, "jobs %s on lane (%s)".formatted(jobs, lane));
    }
    long samples = group.samples();
    for (int i = 1; i < count; i++) {
      samples += jobs.get(i).group.samples();
    }
    if (count > 1) {
      checkShared(jobs, samples);
    }
    if (!group.ripe(state.nowNs())) {
      throw broken(
          Rule.MICROBATCH_UNRIPE,
          "jobs %s at (%d), and their set is ready at (%d)"
              .formatted(jobs, state.nowNs(), group.set.readyAtNs()));
    }
    long tokens = state.tokensHeldBy(group, samples);
    boolean outside = tokens == 0;
    if (outside && count > 1) {
      throw broken(
          Rule.TOKENS_EXCEEDED,
          "jobs %s together, and (%s) runs alone".formatted(jobs, jobs.get(0)));
    }
    long freeTokens = lane.executor.freeTokens(group, state.nowNs());
    if (!outside && tokens > freeTokens) {
      throw broken(
          Rule.TOKENS_EXCEEDED,
          "jobs %s of (%d) tokens on lane (%s) with (%d) free"
              .formatted(jobs, tokens, lane, freeTokens));
    }
    if (start.notAfterNs() < state.nowNs()) {
      throw broken(
          Rule.NOT_AFTER_IN_PAST,
          "jobs %s not after (%d), and it is (%d)"
              .formatted(jobs, start.notAfterNs(), state.nowNs()));
    }
    if (start.notBeforeNs() > start.notAfterNs()) {
      throw broken(
          Rule.NOT_BEFORE_TOO_LATE,
          "jobs %s not before (%d) and not after (%d)"
              .formatted(jobs, start.notBeforeNs(), start.notAfterNs()));
    }
    return new Checked(jobs, lane, Math.toIntExact(samples), Math.toIntExact(tokens));
  }

  /** Returns the first of the lanes; the others are the next ones. */
  private ExecutorLane checkLanes(Choice.Start start) {
    if (start.lanes().isEmpty()) {
      throw broken(Rule.NO_LANE, "jobs %s on no lane".formatted(start.batch()));
    }
    ExecutorLane first = checkLane(start, start.lanes().get(0));
    if (start.lanes().size() > 1) {
      checkGang(start, first);
    }
    return first;
  }

  private void checkGang(Choice.Start start, ExecutorLane first) {
    for (int i = 0; i < start.lanes().size(); i++) {
      ExecutorLane lane = checkLane(start, start.lanes().get(i));
      if (lane.executor != first.executor || lane.index() != first.index() + i) {
        throw broken(
            Rule.GANG_NOT_CONSECUTIVE,
            "jobs %s on lanes %s".formatted(start.batch(), start.lanes()));
      }
      if (!lane.idle()) {
        throw broken(Rule.LANE_BUSY, "lane (%s) for the gang %s".formatted(lane, start.batch()));
      }
    }
  }

  private ExecutorLane checkLane(Choice.Start start, SchedulerState.Lane chosen) {
    ExecutorLane lane = known(chosen);
    if (!lane.takesBatch()) {
      throw broken(Rule.LANE_BUSY, "lane (%s) for jobs %s".formatted(lane, start.batch()));
    }
    return lane;
  }

  private ExecutorLane known(SchedulerState.Lane chosen) {
    if (!(chosen instanceof ExecutorLane lane) || !state.executors.hasLane(lane)) {
      throw broken(Rule.UNKNOWN_LANE, "lane (%s)".formatted(chosen));
    }
    return lane;
  }

  List<QueuedJob> checkJobs(List<SchedulerState.Job> batch) {
    if (batch.isEmpty()) {
      throw broken(Rule.EMPTY_BATCH, "an answer about no jobs");
    }
    int count = batch.size();
    for (int i = 0; i < count; i++) {
      QueuedJob job = checkWaits(batch.get(i), batch);
      if (count > 1) {
        if (job.seenByCheck) {
          throw assignedTwice(job, batch);
        }
        job.seenByCheck = true;
      }
    }
    @SuppressWarnings("unchecked") // each was seen to be one, and a choice does not change
    List<QueuedJob> jobs = (List<QueuedJob>) (List<?>) batch;
    for (int i = 0; count > 1 && i < count; i++) {
      jobs.get(i).seenByCheck = false;
    }
    return jobs;
  }

  private QueuedJob checkWaits(SchedulerState.Job job, List<SchedulerState.Job> batch) {
    if (!(job instanceof QueuedJob queued)
        || !state.jobs.has(queued.group)
        || queued.phase == QueuedJob.Phase.ENDED) {
      throw broken(Rule.UNKNOWN_JOB, "job (%s)".formatted(job));
    }
    if (queued.phase != QueuedJob.Phase.WAITING) {
      throw assignedTwice(queued, batch);
    }
    return queued;
  }

  private InvalidChoiceException assignedTwice(QueuedJob job, List<SchedulerState.Job> batch) {
    return broken(Rule.JOB_ASSIGNED_TWICE, "job (%s) in %s".formatted(job, batch));
  }

  private void checkShared(List<QueuedJob> jobs, long samples) {
    JobGroup first = jobs.get(0).group;
    for (QueuedJob job : jobs) {
      JobGroup group = job.group;
      if (group.set != first.set
          && (!group.hasModelOf(first) || group.lanesNeeded() != first.lanesNeeded())) {
        throw broken(
            Rule.MICROBATCH_INCOMPATIBLE,
            "jobs %s: (%s) and (%s)".formatted(jobs, first.key, group.key));
      }
      if (!state.settings.microbatch().enabled() || !group.jobClass.microbatch()) {
        throw broken(
            Rule.MICROBATCH_NOT_SHARED,
            "jobs %s, and class (%s) shares no batch".formatted(jobs, group.jobClass.name()));
      }
    }
    int most = state.settings.microbatch().maxBatch(first.model().workload());
    if (samples > most) {
      throw broken(
          Rule.MICROBATCH_TOO_LARGE,
          "jobs %s of (%d) samples together, at most (%d)".formatted(jobs, samples, most));
    }
  }

  private InvalidChoiceException broken(Rule rule, String values) {
    return new InvalidChoiceException(rule, policy, values);
  }
}
