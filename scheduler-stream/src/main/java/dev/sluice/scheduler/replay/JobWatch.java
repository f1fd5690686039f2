package dev.sluice.scheduler.replay;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.replay.Explanation.Attempt;
import dev.sluice.scheduler.replay.Explanation.InputEnd;
import dev.sluice.scheduler.replay.Explanation.Inputs;
import dev.sluice.scheduler.replay.Explanation.Outcome;
import dev.sluice.scheduler.replay.Explanation.Overtaking;
import dev.sluice.scheduler.replay.Explanation.Span;
import dev.sluice.scheduler.replay.Explanation.Tokens;
import dev.sluice.scheduling.core.Inspection.WaitReasons;
import dev.sluice.scheduling.core.Inspection.WatchedJob;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Follows one job through the core of its shard, from the fact that brought it. */
final class JobWatch implements CoreListener {
  private final SchedulingCore core;
  private final int shard;

  /** Request of the job; that of a workflow's job is made from its workflow's. */
  private final JobRequested request;

  /** Latency promise; null: none. */
  private final @Nullable Long sloNs;

  private final int lanesNeeded;

  /** Jobs that the job waits for; empty if it is part of no workflow. */
  private final List<String> inputIds;

  private final long requestedAtNs;

  /** States of the job as spans without an end: each holds until the next one's log time. */
  private final List<Span> states = new ArrayList<>();

  private final List<InputEnd> inputEnds = new ArrayList<>();
  private final List<Dispatched> attempts = new ArrayList<>();
  private final List<Overtaking> overtaking = new ArrayList<>();

  /** Class of each job that was requested after it. */
  private final Map<String, String> laterJobs = new HashMap<>();

  private @Nullable WatchedJob job;
  private @Nullable Long releasedAtNs;
  private @Nullable JobEnded end;
  private @Nullable Tokens tokens;
  private long nowNs;

  /** Whether the fact at hand may have released the job, or brought it. */
  private boolean mayBeReleased = true;

  /** A dispatch of the job, and what came of it so far. */
  private static final class Dispatched {
    final BatchDispatched event;
    final List<String> others;
    final int couldShare;
    Outcome outcome = Outcome.OPEN;
    @Nullable Long untilNs;
    @Nullable Long givenUpNs;
    @Nullable BatchCompleted completion;

    Dispatched(BatchDispatched event, List<String> others, int couldShare) {
      this.event = event;
      this.others = others;
      this.couldShare = couldShare;
    }

    boolean is(@Nullable DispatchId id) {
      return event.dispatchId().equals(id);
    }

    void end(Outcome how, long atNs) {
      outcome = how;
      untilNs = atNs;
      if (how == Outcome.LOST) {
        givenUpNs = atNs;
      }
    }

    Attempt toAttempt() {
      BatchCompleted told = completion;
      return new Attempt(
          event.dispatchId(),
          event.executorId(),
          event.lanes(),
          others,
          couldShare,
          event.samples(),
          event.decidedAtNs(),
          event.prediction().meanNs(),
          event.prediction().p95Ns(),
          event.prediction().source(),
          event.decision().scoreTerms(),
          outcome,
          untilNs,
          givenUpNs,
          told == null ? null : told.startedAtNs(),
          told == null ? null : told.finishedAtNs(),
          told == null ? null : told.serviceNs(),
          told == null ? null : told.switchNs(),
          told == null ? null : told.cause());
    }
  }

  private JobWatch(
      SchedulingCore core,
      int shard,
      JobRequested request,
      @Nullable Long sloNs,
      int lanesNeeded,
      List<String> inputIds,
      long requestedAtNs) {
    this.core = core;
    this.shard = shard;
    this.request = request;
    this.sloNs = sloNs;
    this.lanesNeeded = lanesNeeded;
    this.inputIds = inputIds;
    this.requestedAtNs = requestedAtNs;
    state(request.intendedAtNs(), Span.Kind.LATE, List.of(), null);
    state(request.sentAtNs(), Span.Kind.TO_LOG, List.of(), null);
    if (!inputIds.isEmpty()) {
      state(requestedAtNs, Span.Kind.INPUTS, List.of(), null);
    }
  }

  /**
   * Begins to follow the job if this fact brings it.
   *
   * @param atNs log time of the fact
   */
  static @Nullable JobWatch beginsWith(
      Fact fact, String jobId, SchedulingCore core, int shard, long atNs) {
    if (fact instanceof JobRequested job && job.jobId().equals(jobId)) {
      return new JobWatch(core, shard, job, job.sloNs(), 1, List.of(), atNs);
    }
    if (fact instanceof WorkflowRequested workflow) {
      String prefix = workflow.requestId() + "/";
      for (WorkflowRequested.Node node : workflow.nodes()) {
        if (jobId.equals(prefix + node.nodeId())) {
          List<String> inputs =
              node.inputs().stream().map(i -> prefix + workflow.nodes().get(i).nodeId()).toList();
          var job =
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
          return new JobWatch(core, shard, job, workflow.sloNs(), node.lanes(), inputs, atNs);
        }
      }
    }
    return null;
  }

  int shard() {
    return shard;
  }

  /** The end of the job in the replay; null: it has not ended. */
  @Nullable JobEnded end() {
    return end;
  }

  List<DispatchId> dispatches() {
    return attempts.stream().map(attempt -> attempt.event.dispatchId()).toList();
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
      for (Dispatched attempt : attempts) {
        if (attempt.is(completion.dispatchId()) && attempt.completion == null) {
          attempt.completion = completion;
        }
      }
    }
  }

  /** Notes the job's state after the core has taken in the fact. */
  void after() {
    if (end != null) {
      endAttempts(end);
      return;
    }
    if (job == null && mayBeReleased) {
      job = core.inspection().find(request.jobId());
      releasedAtNs = job == null ? null : Long.valueOf(nowNs);
    }
    mayBeReleased = false;
    WatchedJob watched = job;
    if (watched == null) {
      return;
    }
    if (watched.waits()) {
      leaveOpenAttempts();
      WaitReasons reasons = watched.reasons();
      state(nowNs, Span.Kind.WAITS, reasons.causes(), null);
      if (reasons.first() == Cause.TOKENS) {
        long free = reasons.tokensFree();
        long freeMost = tokens == null ? free : Math.max(tokens.freeMost(), free);
        tokens = new Tokens(reasons.tokensNeeded(), freeMost);
      }
    } else {
      DispatchId holder = attempts.get(attempts.size() - 1).event.dispatchId();
      state(nowNs, Span.Kind.HELD, List.of(), holder);
    }
  }

  private void state(
      long fromNs, Span.Kind kind, List<Cause> causes, @Nullable DispatchId dispatch) {
    var state = new Span(kind, causes, dispatch, fromNs, fromNs);
    if (states.isEmpty() || !states.get(states.size() - 1).isLike(state)) {
      states.add(state);
    }
  }

  /** Notes what became of an attempt that was open, while the job waits or starts again. */
  private void leaveOpenAttempts() {
    for (Dispatched attempt : attempts) {
      if (attempt.outcome == Outcome.OPEN) {
        attempt.end(attempt.completion == null ? Outcome.LOST : Outcome.REFUSED, nowNs);
      }
    }
  }

  /** Notes what became of the attempts now that the job has ended. */
  private void endAttempts(JobEnded by) {
    for (Dispatched attempt : attempts) {
      if (attempt.is(by.dispatchId())) {
        boolean done = by.status() == JobEnded.Status.DONE;
        Outcome told = done ? Outcome.DONE : Outcome.FAILED;
        attempt.end(attempt.completion == null ? Outcome.LOST : told, nowNs);
      } else if (attempt.outcome == Outcome.OPEN) {
        attempt.end(Outcome.SUPERSEDED, nowNs);
      }
    }
  }

  @Override
  public void started(BatchDispatched dispatch) {
    if (end != null) {
      return;
    }
    List<String> jobIds = dispatch.jobs().stream().map(DispatchedJob::jobId).toList();
    if (jobIds.contains(request.jobId())) {
      startedWith(dispatch, jobIds);
      return;
    }
    WatchedJob watched = job;
    if (watched == null || !watched.waits() || !watched.canRunOn(dispatch.executorId())) {
      return;
    }
    for (String other : jobIds) {
      String classType = classOfLater(other, watched);
      boolean chosen = other.equals(jobIds.get(0));
      if (classType != null) {
        overtaking.add(
            new Overtaking(
                other,
                classType,
                dispatch.dispatchId(),
                dispatch.decidedAtNs(),
                chosen,
                chosen ? dispatch.decision().scoreTerms() : Map.of()));
      }
    }
  }

  /**
   * Returns the class of a job that starts and came later than the watched one; null: it did not.
   */
  private @Nullable String classOfLater(String other, WatchedJob watched) {
    String classType = laterJobs.get(other);
    boolean maybeOfWorkflow = classType == null && other.indexOf('/') > 0; // request/node
    WatchedJob ofWorkflow = maybeOfWorkflow ? core.inspection().find(other) : null;
    if (ofWorkflow == null || ofWorkflow.spec().node() == null) {
      return classType;
    }
    return ofWorkflow.entry() > watched.entry() ? ofWorkflow.spec().classType() : null;
  }

  private void startedWith(BatchDispatched dispatch, List<String> jobIds) {
    if (job == null) { // it came and started with one fact
      job = requireNonNull(core.inspection().find(request.jobId()));
      releasedAtNs = nowNs;
    }
    leaveOpenAttempts(); // one fact ended the attempt before and led to this one
    List<String> others = jobIds.stream().filter(id -> !id.equals(request.jobId())).toList();
    attempts.add(new Dispatched(dispatch, others, others.size() + job.othersToShareWith()));
  }

  @Override
  public void ended(JobEnded ended) {
    if (ended.jobId().equals(request.jobId())) {
      end = ended;
    } else if (inputIds.contains(ended.jobId())) {
      inputEnds.add(new InputEnd(ended.jobId(), ended.status(), ended.reason(), ended.endedAtNs()));
      mayBeReleased = true;
    }
  }

  /**
   * Returns the job's timeline so far.
   *
   * @param lastFactAtNs log time of the last fact of its shard
   * @param toldNs append of its recorded outcome; null: none was recorded
   */
  Explanation explanation(long lastFactAtNs, @Nullable Long toldNs, List<String> differences) {
    JobEnded event = end;
    long endedNs = endedNs(event, lastFactAtNs);
    return new Explanation(
        request.jobId(),
        shard,
        request.classType(),
        request.workload(),
        request.backend(),
        request.precision(),
        request.samples(),
        lanesNeeded,
        sloNs,
        event == null ? null : event.status(),
        event == null ? null : event.reason(),
        event == null ? attempts.size() : event.attempt(),
        request.intendedAtNs(),
        request.sentAtNs(),
        requestedAtNs,
        endedNs,
        toldNs,
        endedNs - request.intendedAtNs(),
        spans(endedNs),
        tokens,
        inputIds.isEmpty() ? null : new Inputs(inputIds.size(), releasedAtNs, inputEnds),
        overtaking,
        attempts.stream().map(Dispatched::toAttempt).toList(),
        differences);
  }

  private long endedNs(@Nullable JobEnded ended, long lastFactAtNs) {
    Dispatched last = ended == null ? null : attempt(ended.dispatchId());
    BatchCompleted completion = last == null ? null : last.completion;
    if (ended != null
        && ended.status() == JobEnded.Status.DONE
        && completion != null
        && completion.finishedAtNs() != null) {
      return completion.finishedAtNs();
    }
    // log time is whole milliseconds, rounded down, and so may lie before the job was sent
    return Math.max(ended == null ? lastFactAtNs : ended.endedAtNs(), request.sentAtNs());
  }

  private @Nullable Dispatched attempt(@Nullable DispatchId id) {
    return attempts.stream().filter(attempt -> attempt.is(id)).findFirst().orElse(null);
  }

  /**
   * Parts the job's states into spans up to an end. Within a dispatch, the times that the executor
   * measured part the span. A measured time, and a log time of whole milliseconds beside it, need
   * not stand in order: each time counts as at least the one before it, and at most the end. So
   * spans are never negative, leave no gap, and sum up exactly; those that last no time are left
   * out.
   */
  private List<Span> spans(long endNs) {
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < states.size(); i++) {
      Span state = states.get(i);
      Dispatched holder = attempt(state.dispatch());
      boolean done = holder != null && holder.outcome == Outcome.DONE;
      boolean last = done || i + 1 == states.size();
      long toNs = Math.min(last ? endNs : states.get(i + 1).fromNs(), endNs);
      BatchCompleted told = holder == null ? null : holder.completion;
      if (told == null || told.startedAtNs() == null || told.finishedAtNs() == null) {
        add(state.kind(), state, toNs, spans);
      } else {
        long startedNs = told.startedAtNs();
        add(Span.Kind.TO_START, state, Math.min(startedNs - told.switchNs(), toNs), spans);
        add(Span.Kind.LOADS, state, Math.min(startedNs, toNs), spans);
        add(Span.Kind.RUNS, state, Math.min(told.finishedAtNs(), toNs), spans);
        add(Span.Kind.REPORTS, state, toNs, spans);
      }
      if (done) {
        break; // the scheduler may have given it up meanwhile, but its batch ran on
      }
    }
    return spans;
  }

  /** Adds a part of a state, up to a time; it begins where the last part ends. */
  private void add(Span.Kind kind, Span state, long toNs, List<Span> spans) {
    Span last = spans.isEmpty() ? null : spans.get(spans.size() - 1);
    long fromNs = last == null ? states.get(0).fromNs() : last.toNs();
    if (toNs <= fromNs) {
      return;
    }
    var span = new Span(kind, state.causes(), state.dispatch(), fromNs, toNs);
    if (last != null && last.isLike(span)) {
      spans.remove(last);
      span = new Span(kind, state.causes(), state.dispatch(), last.fromNs(), toNs);
    }
    spans.add(span);
  }
}
