package dev.sluice.scheduler.explain;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.explain.Explanation.Asked;
import dev.sluice.scheduler.explain.Explanation.Attempt;
import dev.sluice.scheduler.explain.Explanation.Ending;
import dev.sluice.scheduler.explain.Explanation.InputEnd;
import dev.sluice.scheduler.explain.Explanation.Inputs;
import dev.sluice.scheduler.explain.Explanation.Overtaking;
import dev.sluice.scheduler.explain.Explanation.Tokens;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.core.WaitReasons;
import dev.sluice.scheduling.core.WatchedJob;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Follows one job through the core of its shard, from the fact that brought it. */
final class JobWatch implements CoreListener {
  private final SchedulingCore core;
  private final int shard;
  private final String jobId;
  private final JobRequested request;
  private final long requestedAtNs;

  /** Jobs that the job waits for; empty if it is part of no workflow. */
  private final Set<String> inputIds = new HashSet<>();

  /** Latency promise; null: none. */
  private final @Nullable Long sloNs;

  private final int lanesNeeded;
  private final JobTimeline life = new JobTimeline();
  private final List<InputEnd> inputEnds = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Overtaking> overtaking = new ArrayList<>();

  /** Class of each job that was requested after it. */
  private final Map<String, String> laterJobs = new HashMap<>();

  private @Nullable WatchedJob job;
  private @Nullable Long releasedAtNs;
  private @Nullable JobEnded end;
  private long tokensNeeded;
  private long freeTokensMost = Long.MIN_VALUE;
  private long nowNs;

  /** Whether the fact at hand may have released the job, or brought it. */
  private boolean mayBeReleased = true;

  private JobWatch(
      SchedulingCore core,
      int shard,
      JobRequested request,
      @Nullable Long sloNs,
      int lanesNeeded,
      long requestedAtNs) {
    this.core = core;
    this.shard = shard;
    this.jobId = request.jobId();
    this.request = request;
    this.sloNs = sloNs;
    this.lanesNeeded = lanesNeeded;
    this.requestedAtNs = requestedAtNs;
    life.add(request.intendedAtNs(), Span.Kind.LATE);
    life.add(request.sentAtNs(), Span.Kind.TO_LOG);
  }

  /**
   * Begins to follow the job if this fact brings it.
   *
   * @param atNs log time of the fact
   */
  static @Nullable JobWatch beginsWith(
      Fact fact, String jobId, SchedulingCore core, int shard, long atNs) {
    if (fact instanceof JobRequested request) {
      return request.jobId().equals(jobId)
          ? new JobWatch(core, shard, request, request.sloNs(), 1, atNs)
          : null;
    }
    if (fact instanceof WorkflowRequested workflow
        && jobId.startsWith(workflow.requestId() + "/")) {
      String nodeId = jobId.substring(workflow.requestId().length() + 1);
      for (WorkflowRequested.Node node : workflow.nodes()) {
        if (node.nodeId().equals(nodeId)) {
          return of(workflow, node, jobId, core, shard, atNs);
        }
      }
    }
    return null;
  }

  private static JobWatch of(
      WorkflowRequested workflow,
      WorkflowRequested.Node node,
      String jobId,
      SchedulingCore core,
      int shard,
      long atNs) {
    var request =
        new JobRequested(
            jobId,
            workflow.generator(),
            workflow.index(),
            workflow.classType(),
            node.workload(),
            node.backend(),
            node.precision(),
            node.samples(),
            1, // the workflow's promise is kept beside it, since there may be none
            workflow.intendedAtNs(),
            workflow.sentAtNs());
    var watch = new JobWatch(core, shard, request, workflow.sloNs(), node.lanes(), atNs);
    for (int input : node.inputs()) {
      watch.inputIds.add(workflow.requestId() + "/" + workflow.nodes().get(input).nodeId());
    }
    if (!watch.inputIds.isEmpty()) {
      watch.life.add(atNs, Span.Kind.INPUTS);
    }
    return watch;
  }

  int shard() {
    return shard;
  }

  /** Returns whether the job has ended in the replay. */
  boolean hasEnded() {
    return end != null;
  }

  /** Takes in a fact before the core does, as this watch listens to the core. */
  void before(Fact fact, long atNs) {
    nowNs = atNs;
    if (job == null) {
      return;
    }
    if (fact instanceof JobRequested later) {
      laterJobs.put(later.jobId(), later.classType());
    } else if (fact instanceof BatchCompleted completion) {
      for (int i = 0; i < attempts.size(); i++) {
        Attempt attempt = attempts.get(i);
        if (attempt.dispatchId().equals(completion.dispatchId())
            && attempt.result().completion() == null) {
          attempts.set(i, attempt.with(attempt.result().completed(completion)));
        }
      }
    }
  }

  /** Notes the job's state after the core has taken in the fact. */
  void after(Fact fact) {
    if (end != null) {
      endAttempts(fact, end);
      return;
    }
    if (job == null && mayBeReleased) {
      job = core.inspection().find(jobId);
      releasedAtNs = job == null ? null : Long.valueOf(nowNs);
    }
    mayBeReleased = false;
    WatchedJob watched = job;
    if (watched == null) {
      return;
    }
    if (watched.waits()) {
      giveUpAttempt(fact);
      WaitReasons reasons = watched.reasons();
      life.waits(nowNs, reasons.causes());
      if (reasons.first() == Cause.TOKENS) {
        tokensNeeded = reasons.tokensNeeded();
        freeTokensMost = Math.max(freeTokensMost, reasons.tokensFree());
      }
    } else {
      life.held(nowNs, attempts.get(attempts.size() - 1).dispatchId());
    }
  }

  /** Notes what became of the attempt that was open while the job waits again. */
  private void giveUpAttempt(Fact fact) {
    for (int i = 0; i < attempts.size(); i++) {
      Attempt attempt = attempts.get(i);
      if (attempt.outcome() == Attempt.Outcome.OPEN) {
        boolean refused = completes(fact, attempt.dispatchId());
        attempts.set(i, ended(attempt, refused ? Attempt.Outcome.REFUSED : Attempt.Outcome.LOST));
      }
    }
  }

  /** Notes what became of the attempts now that the job has ended. */
  private void endAttempts(Fact fact, JobEnded by) {
    DispatchId ended = by.dispatchId();
    for (int i = 0; i < attempts.size(); i++) {
      Attempt attempt = attempts.get(i);
      if (attempt.dispatchId().equals(ended)) {
        boolean answered = completes(fact, attempt.dispatchId());
        Attempt.Outcome outcome =
            by.status() == JobEnded.Status.DONE ? Attempt.Outcome.DONE : Attempt.Outcome.FAILED;
        attempts.set(i, ended(attempt, answered ? outcome : Attempt.Outcome.LOST));
      } else if (attempt.outcome() == Attempt.Outcome.OPEN) {
        attempts.set(i, ended(attempt, Attempt.Outcome.SUPERSEDED));
      }
    }
  }

  private static boolean completes(Fact fact, DispatchId id) {
    return fact instanceof BatchCompleted completion && completion.dispatchId().equals(id);
  }

  private Attempt ended(Attempt attempt, Attempt.Outcome outcome) {
    return attempt.with(attempt.result().ended(outcome, nowNs));
  }

  @Override
  public void started(BatchDispatched dispatch) {
    if (end != null) {
      return;
    }
    List<DispatchedJob> jobs = dispatch.jobs();
    if (jobs.stream().anyMatch(started -> started.jobId().equals(jobId))) {
      startedWith(dispatch);
      return;
    }
    WatchedJob watched = job;
    if (watched == null || !watched.waits() || !watched.canRunOn(dispatch.executorId())) {
      return;
    }
    for (int i = 0; i < jobs.size(); i++) {
      String other = jobs.get(i).jobId();
      String classType = classOfLater(other, watched);
      if (classType != null) {
        overtaking.add(
            new Overtaking(
                other,
                classType,
                dispatch.dispatchId(),
                dispatch.decidedAtNs(),
                i == 0 ? dispatch.scoreTerms() : Map.of(),
                i == 0));
      }
    }
  }

  /** The class of a job that starts and came later than the watched one; null: it did not. */
  private @Nullable String classOfLater(String other, WatchedJob watched) {
    String classType = laterJobs.get(other);
    boolean maybeOfWorkflow = classType == null && other.indexOf('/') > 0; // request/node
    WatchedJob ofWorkflow = maybeOfWorkflow ? core.inspection().find(other) : null;
    if (ofWorkflow == null || ofWorkflow.spec().node() == null) {
      return classType;
    }
    return ofWorkflow.entry() > watched.entry() ? ofWorkflow.spec().classType() : null;
  }

  private void startedWith(BatchDispatched dispatch) {
    if (job == null) { // it came and started with one fact
      job = requireNonNull(core.inspection().find(jobId));
      releasedAtNs = nowNs;
    }
    if (!attempts.isEmpty()
        && attempts.get(attempts.size() - 1).outcome() == Attempt.Outcome.OPEN) {
      // one fact ended the attempt before and led to this one
      Attempt before = attempts.get(attempts.size() - 1);
      boolean answered = before.result().completion() != null;
      attempts.set(
          attempts.size() - 1,
          ended(before, answered ? Attempt.Outcome.REFUSED : Attempt.Outcome.LOST));
    }
    List<String> others =
        dispatch.jobs().stream().map(DispatchedJob::jobId).filter(id -> !id.equals(jobId)).toList();
    attempts.add(
        new Attempt(
            dispatch.dispatchId(),
            new Attempt.Batch(
                dispatch.executorId(),
                dispatch.lanes(),
                others,
                others.size() + job.othersToShareWith(),
                dispatch.samples()),
            dispatch.decidedAtNs(),
            dispatch.prediction(),
            dispatch.scoreTerms(),
            Attempt.Result.OPEN));
  }

  @Override
  public void ended(JobEnded ended) {
    if (ended.jobId().equals(jobId)) {
      end = ended;
    } else if (inputIds.contains(ended.jobId())) {
      inputEnds.add(new InputEnd(ended.jobId(), ended.status(), ended.reason(), ended.endedAtNs()));
      mayBeReleased = true;
    }
  }

  @Override
  public void blocked(Blocked span) {}

  /**
   * Returns the job's life so far.
   *
   * @param lastFactAtNs log time of the last fact of its shard
   * @param toldAtNs append of its recorded outcome; null: none was recorded
   */
  Explanation explanation(long lastFactAtNs, @Nullable Long toldAtNs, List<String> differences) {
    JobEnded event = end;
    long endNs = event == null ? atLeastSent(lastFactAtNs) : endNs(event);
    var asked =
        new Asked(
            jobId,
            shard,
            request.classType(),
            request.model(),
            request.samples(),
            lanesNeeded,
            sloNs,
            request.intendedAtNs(),
            request.sentAtNs(),
            requestedAtNs);
    var ending =
        new Ending(
            event == null ? null : event.status(),
            event == null ? null : event.reason(),
            event == null ? attempts.size() : event.attempt(),
            endNs,
            toldAtNs);
    return new Explanation(
        asked,
        inputIds.isEmpty() ? null : new Inputs(inputIds.size(), inputEnds, releasedAtNs),
        ending,
        life.spans(endNs, attempts),
        freeTokensMost == Long.MIN_VALUE ? null : new Tokens(tokensNeeded, freeTokensMost),
        attempts,
        overtaking,
        differences);
  }

  private long endNs(JobEnded ended) {
    DispatchId by = ended.dispatchId();
    if (ended.status() == JobEnded.Status.DONE && by != null) {
      for (Attempt attempt : attempts) {
        BatchCompleted completion = attempt.result().completion();
        if (attempt.dispatchId().equals(by)
            && completion != null
            && completion.finishedAtNs() != null) {
          return completion.finishedAtNs();
        }
      }
    }
    return atLeastSent(ended.endedAtNs());
  }

  /** Log time is whole milliseconds, rounded down, and so may lie before the job was sent. */
  private long atLeastSent(long logNs) {
    return Math.max(logNs, request.sentAtNs());
  }

  List<Attempt> attempts() {
    return attempts;
  }

  @Nullable JobEnded end() {
    return end;
  }
}
