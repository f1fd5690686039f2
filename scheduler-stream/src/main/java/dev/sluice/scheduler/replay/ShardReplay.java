package dev.sluice.scheduler.replay;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedDispatch;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedFact;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedOutcome;
import dev.sluice.scheduling.core.InvalidChoiceException;
import dev.sluice.scheduling.core.RecordedDecisions;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.Happening;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One shard's log through a core that follows the record: the core's policy is asked in each state,
 * and where its answer is not the recorded one, the recorded one is applied. A fact is therefore
 * held until the log has shown which batches it started: the next dispatch of a later fact tells.
 */
final class ShardReplay implements CoreListener, SchedulingPolicy {
  /**
   * Number of held facts from which on the oldest is applied without knowledge of its dispatches,
   * so that memory is bounded where a log holds no dispatches for long.
   */
  private static final int HELD_MAX = 100_000;

  /**
   * Number of facts by which a dispatch may stand before its own one: the clocks of two brokers may
   * differ.
   */
  private static final long AHEAD_MAX = 10_000;

  private static final long NS_PER_MS = 1_000_000;

  private final int shard;
  private final SchedulingPolicy policy;
  private final Set<JobOrder> orders;
  private final Set<Need> needed;
  private final Tally tally;
  private final @Nullable AskedPolicy asked;
  private final @Nullable Stop stop;
  private final DispatchMatch starts;
  private final OutcomeMatch outcomes;
  private final SchedulingCore core;

  /** Facts whose dispatches are not known yet. */
  private final ArrayDeque<LoggedFact> held = new ArrayDeque<>();

  /** Recorded dispatches of held facts. */
  private final ArrayDeque<LoggedDispatch> dispatches = new ArrayDeque<>();

  private long nextOffset;
  private Moment at;
  private @Nullable DispatchId lastRecorded;

  /** Offset up to which facts have all of their recorded dispatches here. */
  private long knownBefore;

  private boolean finished;
  private boolean cut;
  private boolean stopped;
  private @Nullable RunStarted run;

  /** Whether the recorded dispatches of the fact at hand are all known. */
  private boolean known;

  /** Number of batches that the fact at hand has started so far. */
  private int place;

  /** Recorded dispatch that the policy's answer repeats; null: it repeats none. */
  private @Nullable LoggedDispatch repeated;

  /** Whether the start at hand was judged as another one already. */
  private boolean judged;

  /** A place in a shard's log at which a replay ends. */
  record Stop(int shard, long offset, int place, DecisionReplay.AtStop then) {}

  ShardReplay(
      int shard,
      CoreSettings settings,
      SchedulingPolicy policy,
      Tally tally,
      @Nullable AskedPolicy asked,
      @Nullable Stop stop) {
    this.shard = shard;
    this.policy = policy;
    this.tally = tally;
    this.asked = asked;
    this.stop = stop != null && stop.shard() == shard ? stop : null;
    this.starts = new DispatchMatch(tally);
    this.outcomes = new OutcomeMatch(tally);
    this.at = new Moment(shard, -1, 0, null);
    EnumSet<JobOrder> read = EnumSet.noneOf(JobOrder.class);
    read.addAll(policy.needs().orders());
    if (asked != null) {
      read.addAll(asked.orders());
    }
    this.orders = Set.copyOf(read);
    EnumSet<Need> needed = EnumSet.noneOf(Need.class);
    needed.addAll(policy.needs().others());
    if (asked != null) {
      needed.addAll(asked.policy.needs().others());
    }
    this.needed = Set.copyOf(needed);
    this.core = new SchedulingCore(settings, this);
  }

  void take(LoggedFact fact) throws UserMistakeException {
    if (fact.offset() != nextOffset) {
      throw new UserMistakeException(
          "facts/" + shard,
          "the facts %d to %d are missing".formatted(nextOffset, fact.offset() - 1),
          nextOffset == 0
              ? "retention took them: decisions can be made again only from a shard's first fact on"
              : "the recording was made from a topic that had lost them");
    }
    nextOffset++;
    held.add(fact);
    release();
  }

  void take(LoggedDispatch dispatch) {
    BatchDispatched start = dispatch.event();
    DispatchId last = lastRecorded;
    if (start == null) {
      starts.recordedOnly(Kind.UNREADABLE, dispatch, at);
    } else if (start.dispatchId().factOffset() > nextOffset + AHEAD_MAX) {
      starts.recordedOnly(Kind.NOT_STARTED, dispatch, at); // it rests on no fact
    } else if (last != null && start.dispatchId().compareTo(last) <= 0) {
      starts.recordedOnly(Kind.ORDER, dispatch, at);
    } else {
      lastRecorded = start.dispatchId();
      if (starts.hasOpen()) {
        starts.matchOpen(start.dispatchId(), dispatch, at);
      } else if (start.dispatchId().factOffset() <= at.offset()) {
        starts.recordedOnly(Kind.NOT_STARTED, dispatch, at);
      } else {
        dispatches.add(dispatch);
      }
      knownBefore = start.dispatchId().factOffset();
      release();
    }
  }

  void take(LoggedOutcome outcome) {
    outcomes.recorded(outcome);
  }

  /**
   * Ends the replay.
   *
   * @param cutShort whether the log may lack the last decisions
   * @return number of decisions made again that have no record for that reason
   */
  long finish(boolean cutShort) {
    finished = true;
    cut = cutShort;
    release();
    if (stopped) {
      return 0;
    }
    while (!dispatches.isEmpty()) {
      starts.recordedOnly(Kind.NOT_STARTED, dispatches.remove(), at);
    }
    return starts.finish(cut) + outcomes.finish(cut);
  }

  boolean stopped() {
    return stopped;
  }

  /** Returns how many facts the log held. */
  long facts() {
    return nextOffset;
  }

  private void release() {
    while (!stopped
        && !held.isEmpty()
        && (finished || held.element().offset() < knownBefore || held.size() > HELD_MAX)) {
      apply(held.remove());
    }
  }

  private void apply(LoggedFact logged) {
    RunStarted started = run;
    if (started == null && logged.run() != null) {
      started = logged.run();
      run = started;
    }
    long nowNs =
        started == null ? 0 : (logged.appendedAtEpochMs() - started.timeZeroEpochMs()) * NS_PER_MS;
    Fact fact = logged.fact();
    at = new Moment(shard, logged.offset(), Math.max(at.nowNs(), nowNs), fact);
    place = 0;
    known = logged.offset() < knownBefore || (finished && !cut);
    if (isStop(-1)) {
      return;
    }
    if (fact != null) {
      core.apply(logged.offset(), nowNs, fact, this);
    }
    while (!dispatches.isEmpty() && idOf(dispatches.element()).factOffset() <= logged.offset()) {
      starts.recordedOnly(Kind.NOT_STARTED, dispatches.remove(), at);
    }
    outcomes.applied(at);
    if (asked != null) {
      asked.applied(at);
    }
  }

  private boolean isStop(int place) {
    Stop here = stop;
    if (here != null && !stopped && here.offset() == at.offset() && here.place() == place) {
      stopped = true;
      here.then().at(core, at);
    }
    return stopped;
  }

  @Override
  public Needs needs() {
    return new Needs(orders, needed);
  }

  @Override
  public void remember(Memory memory, Happening what, SchedulerState state) {
    policy.remember(memory, what, state);
  }

  @Override
  public int memoryVersion() {
    return policy.memoryVersion();
  }

  @Override
  public Map<String, Double> scoreTerms(
      SchedulerState state, SchedulerState.Job job, SchedulerState.Lane lane) {
    return (asked == null ? policy : asked.policy).scoreTerms(state, job, lane);
  }

  @Override
  public void deciding(SchedulerState state) {
    if (asked != null) {
      asked.deciding(state);
    }
  }

  @Override
  public Choice choose(SchedulerState state) {
    isStop(place);
    Choice own = policy.choose(state);
    if (own instanceof Choice.Drop || own instanceof Choice.Cancel) {
      return own; // outcomes or the next start tell of it
    }
    LoggedDispatch next = dispatches.peek();
    LoggedDispatch then =
        next != null && idOf(next).compareTo(here()) == 0 ? dispatches.remove() : null;
    Choice answer = followed(state, own, then);
    if (asked != null) {
      asked.ask(
          state,
          at,
          place,
          () ->
              then != null
                  ? DispatchMatch.decision(then)
                  : answer instanceof Choice.Start start
                      ? Decision.Started.of(here(), start)
                      : new Decision.Nothing(null),
          answer);
    }
    return answer;
  }

  private DispatchId here() {
    return new DispatchId(at.offset(), place);
  }

  /** Returns the recorded answer, as far as it is known and breaks no rule; else the own answer. */
  private Choice followed(SchedulerState state, Choice own, @Nullable LoggedDispatch then) {
    repeated = null;
    judged = false;
    if (then == null) {
      if (!known || !(own instanceof Choice.Start start)) {
        return own;
      }
      other(
          Kind.STARTED,
          classOf(start),
          new Decision.Nothing(null),
          Decision.Started.of(here(), start),
          null);
      return Choice.nothing(Cause.POLICY);
    }
    BatchDispatched recorded = eventOf(then);
    if (own instanceof Choice.Start start && isSame(start, recorded)) {
      repeated = then;
      return own;
    }
    Choice forced = null;
    String note = null;
    try {
      forced =
          RecordedDecisions.start(state, idsOf(recorded), recorded.executorId(), recorded.lanes());
    } catch (InvalidChoiceException e) {
      note = "the recorded start cannot be repeated, so that the histories part: " + e.getMessage();
    }
    judged = true;
    if (own instanceof Choice.Start start) {
      boolean sameJobs = AskedPolicy.idsOf(start).equals(idsOf(recorded));
      other(
          sameJobs ? Kind.LANE : Kind.JOBS,
          forced instanceof Choice.Start known ? classOf(known) : null,
          DispatchMatch.decision(then),
          Decision.Started.of(here(), start),
          note);
    } else {
      other(
          Kind.NOT_STARTED,
          forced instanceof Choice.Start known ? classOf(known) : null,
          DispatchMatch.decision(then),
          new Decision.Nothing(own instanceof Choice.Nothing nothing ? nothing.cause() : null),
          note);
    }
    return forced == null ? own : forced;
  }

  private static boolean isSame(Choice.Start own, BatchDispatched recorded) {
    if (own.batch().size() != recorded.jobs().size()
        || own.lanes().size() != recorded.lanes().size()
        || !own.lanes().get(0).executorId().equals(recorded.executorId())) {
      return false;
    }
    for (int i = 0; i < own.batch().size(); i++) {
      if (!own.batch().get(i).spec().id().equals(recorded.jobs().get(i).jobId())) {
        return false;
      }
    }
    for (int i = 0; i < own.lanes().size(); i++) {
      if (own.lanes().get(i).index() != recorded.lanes().get(i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void started(BatchDispatched dispatch) {
    int startedAt = place++;
    if (asked != null) {
      asked.started(dispatch.jobs());
    }
    if (judged) {
      return;
    }
    var made =
        new DispatchMatch.Made(EventCodec.DISPATCHES.write(dispatch), at, startedAt, dispatch);
    LoggedDispatch then = repeated;
    if (then == null) {
      starts.open(made);
    } else {
      starts.compare(then, made);
    }
  }

  private void other(
      Kind kind, @Nullable String classType, Decision then, Decision now, @Nullable String note) {
    tally.other(new Difference(at, place, kind, classType, then, now, List.of(), note));
  }

  private static String classOf(Choice.Start start) {
    return start.batch().get(0).spec().classType();
  }

  private static BatchDispatched eventOf(LoggedDispatch dispatch) {
    BatchDispatched event = dispatch.event();
    if (event == null) {
      throw new IllegalStateException("a dispatch that cannot be read was kept");
    }
    return event;
  }

  private static List<String> idsOf(BatchDispatched dispatch) {
    return dispatch.jobs().stream().map(DispatchedJob::jobId).toList();
  }

  private static DispatchId idOf(LoggedDispatch dispatch) {
    return eventOf(dispatch).dispatchId();
  }

  @Override
  public void ended(JobEnded end) {
    outcomes.made(end, at);
    if (asked != null) {
      asked.ended(end, at);
    }
  }

  @Override
  public void blocked(Blocked span) {
    outcomes.made(span, at);
    if (asked != null) {
      asked.blocked(new Decision.Idle(span), at);
    }
  }
}
