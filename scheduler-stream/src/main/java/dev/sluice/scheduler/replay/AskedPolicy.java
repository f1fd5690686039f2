package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduling.core.RecordedDecisions;
import dev.sluice.scheduling.core.RecordedDecisions.Late;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
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

  /** Returns the orders of waiting jobs that its answers need. */
  Set<JobOrder> orders() {
    Set<JobOrder> orders = new HashSet<>(policy.needs().orders());
    if (admission != Admission.NONE) {
      orders.add(JobOrder.DEADLINE);
    }
    return orders;
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
   * Asks the policy, and compares its answer with the recorded one.
   *
   * @param place index of the dispatch that this state could lead to
   * @param then recorded decision, as it is shown
   * @param recorded recorded answer, in terms of this state
   */
  void ask(
      SchedulerState state, Moment after, int place, Supplier<Decision> then, Choice recorded) {
    Choice answer = policy.choose(state);
    var id = new DispatchId(after.offset(), place);
    if (recorded instanceof Choice.Start start) {
      Late dropped = firstLate(start);
      if (dropped != null) {
        var drop = new Decision.Dropped(dropped.jobId(), dropped.reason());
        other(Kind.NOT_STARTED, after, place, classOf(start), then.get(), drop);
      } else if (!(answer instanceof Choice.Start other)) {
        other(Kind.NOT_STARTED, after, place, classOf(start), then.get(), nothing(answer));
      } else if (!idsOf(start).equals(idsOf(other))) {
        var now = Decision.Started.of(id, other);
        other(Kind.JOBS, after, place, classOf(start), then.get(), now);
      } else if (!start.lanes().equals(other.lanes())) {
        var now = Decision.Started.of(id, other);
        other(Kind.LANE, after, place, classOf(start), then.get(), now);
      } else {
        tally.equal();
      }
      return;
    }
    Cause cause = recorded instanceof Choice.Nothing nothing ? nothing.cause() : Cause.POLICY;
    boolean differs = !(answer instanceof Choice.Nothing nothing && nothing.cause() == cause);
    if (answer instanceof Choice.Start start
        && startedInVain.add(start.batch().get(0).spec().id())) {
      var now = Decision.Started.of(id, start);
      other(Kind.STARTED, after, place, classOf(start), then.get(), now);
    }
    causeNow = cause;
    differsNow = differs;
  }

  private @Nullable Late firstLate(Choice.Start start) {
    if (late.isEmpty()) {
      return null;
    }
    return start.batch().stream()
        .map(job -> late.get(job.spec().id()))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Takes in an end that the core told of, which is the recorded one. */
  void ended(JobEnded end, Moment after) {
    startedInVain.remove(end.jobId());
    droppedInVain.remove(end.jobId());
    boolean byAdmission =
        end.status() == JobEnded.Status.DROPPED
            && (Reason.EXPIRED.is(end.reason()) || Reason.HOPELESS.is(end.reason()));
    if (!byAdmission || admission == recordedAdmission) {
      tally.equal();
      return;
    }
    Late here = late.remove(end.jobId());
    if (here != null && here.reason().equals(end.reason())) {
      tally.equal();
      return;
    }
    String classType = recordedLate.get(end.jobId());
    var then = new Decision.Dropped(end.jobId(), String.valueOf(end.reason()));
    if (here == null) {
      other(Kind.NOT_DROPPED, after, -1, classType, then, new Decision.Nothing(null));
    } else {
      var now = new Decision.Dropped(here.jobId(), here.reason());
      other(Kind.DROPPED, after, -1, classType, then, now);
    }
  }

  /** Takes in a span that the core told of, which is the recorded one. */
  void blocked(Decision span, Moment after) {
    if (spanDiffers) {
      other(Kind.IDLE, after, -1, null, span, new Decision.Nothing(null));
    } else {
      tally.equal();
    }
    spanDiffers = false;
  }

  void started(List<DispatchedJob> jobs) {
    if (!startedInVain.isEmpty()) {
      jobs.forEach(job -> startedInVain.remove(job.jobId()));
    }
  }

  /** Ends the fact at hand. */
  void applied(Moment after) {
    for (Late job : late.values()) {
      if (droppedInVain.add(job.jobId())) {
        var now = new Decision.Dropped(job.jobId(), job.reason());
        other(Kind.DROPPED, after, -1, job.classType(), new Decision.Nothing(null), now);
      }
    }
    late.clear();
    spanDiffers = differsNow || (causeNow == recordedCause && spanDiffers);
    recordedCause = causeNow;
    causeNow = null;
    differsNow = false;
  }

  private void other(
      Kind kind, Moment after, int place, @Nullable String classType, Decision then, Decision now) {
    tally.other(new Difference(after, place, kind, classType, then, now, List.of(), null));
  }

  private static Decision nothing(Choice answer) {
    return new Decision.Nothing(answer instanceof Choice.Nothing nothing ? nothing.cause() : null);
  }

  private static String classOf(Choice.Start start) {
    return start.batch().get(0).spec().classType();
  }

  static List<String> idsOf(Choice.Start start) {
    return start.batch().stream().map(job -> job.spec().id()).toList();
  }
}
