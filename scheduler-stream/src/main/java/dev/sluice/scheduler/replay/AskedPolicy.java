package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduler.replay.Decision.Started;
import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduler.replay.Difference.LoggedFact;
import dev.sluice.scheduling.core.RecordedDecisions;
import dev.sluice.scheduling.core.RecordedDecisions.Late;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Another policy or admission that is asked in each recorded state. Its answers are compared and
 * never applied, so that each of its answers rests on a state that was really there.
 *
 * <p>A wish of it that the record does not fulfil stays a wish in the next states: it counts once
 * until its job starts or ends.
 */
final class AskedPolicy {
  final SchedulingPolicy policy;
  private final Admission admission;
  private final Admission recordedAdmission;
  private final Tally tally;

  /** Jobs that wait and that this policy would have started. */
  private final Set<String> startedInVain = new HashSet<>();

  /** Jobs that wait and that this admission would have dropped. */
  private final Set<String> droppedInVain = new HashSet<>();

  /** Jobs that this admission drops in the state at hand. */
  private final Map<String, Late> late = new HashMap<>();

  /** Classes of the jobs that the recorded admission drops in the state at hand. */
  private final Map<String, String> recordedLate = new HashMap<>();

  private LoggedFact at = new LoggedFact(0, -1, 0, null);

  /** Cause that held the recorded decisions up after the last fact. */
  private @Nullable Cause recordedCause;

  /** Whether this policy differed in the span of that cause so far. */
  private boolean spanDiffers;

  /**
   * Cause that holds the recorded decisions up after the fact at hand; null: none was asked for.
   */
  private @Nullable Cause causeNow;

  /** Whether this policy differs from that cause. */
  private boolean differsNow;

  AskedPolicy(
      SchedulingPolicy policy, Admission admission, Admission recordedAdmission, Tally tally) {
    this.policy = policy;
    this.admission = admission;
    this.recordedAdmission = recordedAdmission;
    this.tally = tally;
  }

  Set<JobOrder> orders() {
    Set<JobOrder> orders = new HashSet<>(policy.needs().orders());
    if (admission != Admission.NONE) {
      orders.add(JobOrder.DEADLINE);
    }
    return orders;
  }

  /**
   * Begins a fact; one that requests jobs without a promise is refused if the policy goes by one.
   */
  void begin(LoggedFact fact) throws UserMistakeException {
    at = fact;
    if (fact.fact() instanceof WorkflowRequested workflow
        && workflow.sloNs() == null
        && policy.needs().has(Need.DEADLINES)) {
      throw new UserMistakeException(
          "--with",
          "the scheduler goes by latency promises, and workflow request ("
              + workflow.requestId()
              + ") has none",
          "you want to ask a scheduler that reads none, such as fifo");
    }
  }

  void deciding(SchedulerState state) {
    if (admission != recordedAdmission) {
      late.clear();
      recordedLate.clear();
      RecordedDecisions.late(state, admission).forEach(job -> late.put(job.jobId(), job));
      RecordedDecisions.late(state, recordedAdmission)
          .forEach(job -> recordedLate.put(job.jobId(), job.classType()));
    }
  }

  /**
   * Asks the policy in a state, and compares its answer with the recorded one, in terms of this
   * state.
   */
  void ask(
      SchedulerState state, DispatchId id, @Nullable BatchDispatched dispatch, Choice recorded) {
    Choice answer = policy.choose(state);
    Decision now = Decision.of(id, answer);
    Decision applied = Decision.of(id, recorded);
    Kind kind = Decision.difference(applied, now);
    if (recorded instanceof Choice.Start start) {
      Decision then = dispatch == null ? applied : Started.of(dispatch);
      for (SchedulerState.Job job : start.batch()) {
        Late dropped = late.get(job.spec().id());
        if (dropped != null) {
          now = dropped(dropped);
          kind = Kind.NOT_STARTED;
          break;
        }
      }
      if (kind == null) {
        tally.equal();
      } else {
        other(kind, id.index(), classOf(start), then, now);
      }
      return;
    }
    if (answer instanceof Choice.Start start
        && kind == Kind.STARTED
        && startedInVain.add(start.batch().get(0).spec().id())) {
      Decision then = dispatch == null ? Decision.NOTHING : Started.of(dispatch);
      other(kind, id.index(), classOf(start), then, now);
    }
    causeNow = recorded instanceof Choice.Nothing nothing ? nothing.cause() : Cause.POLICY;
    differsNow = !(answer instanceof Choice.Nothing nothing && nothing.cause() == causeNow);
  }

  /** Takes in an end that the core told of, which is the recorded one. */
  void ended(JobEnded end) {
    startedInVain.remove(end.jobId());
    droppedInVain.remove(end.jobId());
    boolean byAdmission =
        admission != recordedAdmission
            && end.status() == JobEnded.Status.DROPPED
            && (Reason.EXPIRED.is(end.reason()) || Reason.HOPELESS.is(end.reason()));
    Late here = byAdmission ? late.remove(end.jobId()) : null;
    if (!byAdmission || (here != null && here.reason().equals(end.reason()))) {
      tally.equal();
      return;
    }
    String classType = recordedLate.get(end.jobId());
    var then = Decision.dropped(end.jobId(), end.reason());
    if (here == null) {
      other(Kind.NOT_DROPPED, -1, classType, then, Decision.NOTHING);
    } else {
      other(Kind.DROPPED, -1, classType, then, dropped(here));
    }
  }

  /** Takes in a span that the core told of, which is the recorded one. */
  void blocked(Blocked span) {
    if (spanDiffers) {
      other(Kind.IDLE, -1, null, Decision.of(span), Decision.NOTHING);
    } else {
      tally.equal();
    }
    spanDiffers = false;
  }

  void started(List<DispatchedJob> jobs) {
    jobs.forEach(job -> startedInVain.remove(job.jobId()));
  }

  /** Ends the fact at hand. */
  void applied() {
    for (Late job : late.values()) {
      if (droppedInVain.add(job.jobId())) {
        other(Kind.DROPPED, -1, job.classType(), Decision.NOTHING, dropped(job));
      }
    }
    late.clear();
    spanDiffers = differsNow || (causeNow == recordedCause && spanDiffers);
    recordedCause = causeNow;
    causeNow = null;
    differsNow = false;
  }

  private static Decision dropped(Late job) {
    return Decision.dropped(job.jobId(), job.reason());
  }

  private void other(
      Kind kind, int place, @Nullable String classType, Decision then, Decision now) {
    tally.other(Difference.of(at, place, kind, classType, then, now));
  }

  static String classOf(Choice.Start start) {
    return start.batch().get(0).spec().classType();
  }
}
