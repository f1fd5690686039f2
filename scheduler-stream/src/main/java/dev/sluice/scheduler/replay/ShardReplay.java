package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduler.replay.Difference.LoggedFact;
import dev.sluice.scheduling.core.InvalidChoiceException;
import dev.sluice.scheduling.core.RecordedDecisions;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One shard's log through a core. The core's policy is asked in each state, and where its answer is
 * not the recorded one, the recorded one is applied, so that another policy is always asked in a
 * recorded state. A fact is therefore held until the log has shown which batches it started: the
 * next dispatch of a later fact tells.
 */
final class ShardReplay implements CoreListener, SchedulingPolicy {
  private static final long NS_PER_MS = 1_000_000;

  private final int shard;
  private final String log;
  private final SchedulingPolicy policy;
  private final Needs needs;

  /** Whether the policy loads models by itself. */
  private final boolean loads;

  private final Tally tally;
  private final @Nullable AskedPolicy asked;
  private final DecisionReplay.@Nullable Stop stop;

  /** Whether the log is followed past a difference. */
  private final boolean follows;

  private final OutcomeComparison outcomes;
  private final SchedulingCore core;

  /** Facts whose dispatches are not known yet. */
  private final ArrayDeque<RecordedEntry> held = new ArrayDeque<>();

  /** Recorded dispatches of held facts. */
  private final ArrayDeque<LoggedDispatch> dispatches = new ArrayDeque<>();

  private long nextOffset;
  private LoggedFact at;
  private @Nullable DispatchId lastRecorded;
  private boolean finished;
  private boolean cut;
  private boolean stopped;
  private @Nullable RunStarted run;

  /** Whether the recorded dispatches of the fact at hand are all known. */
  private boolean known;

  /** Number of dispatches that the fact at hand has led to so far. */
  private int place;

  /** Recorded dispatch of the state at hand; null: none is known. */
  private @Nullable LoggedDispatch recorded;

  /** Recorded preparation of the lane of the state at hand, which the core makes; null: none. */
  private @Nullable LoggedDispatch preparation;

  /** Whether the policy's answer starts the recorded jobs on the recorded lanes. */
  private boolean repeats;

  /** Number of dispatches made at the end of a log that was cut short before it could hold them. */
  private long unrecorded;

  @SuppressWarnings("ArrayRecordComponent") // compared by nobody, and copied for nobody
  private record LoggedDispatch(byte[] value, Dispatch event) {}

  ShardReplay(
      int shard,
      ReplaySettings settings,
      Tally tally,
      @Nullable Tally tallyOfAsked,
      DecisionReplay.@Nullable Stop stop) {
    ReplaySettings.Asked other = settings.asked();
    this.asked =
        other == null || tallyOfAsked == null
            ? null
            : new AskedPolicy(
                other.newPolicy(), other.admission(), settings.core().admission(), tallyOfAsked);
    this.shard = shard;
    this.follows = asked != null || stop != null;
    this.log = settings.log();
    this.policy = settings.newPolicy();
    this.loads = policy.needs().has(Need.RESIDENCY);
    this.tally = tally;
    this.stop = stop != null && stop.shard() == shard ? stop : null;
    this.outcomes = new OutcomeComparison(tally);
    this.at = new LoggedFact(shard, -1, 0, null);
    Set<JobOrder> orders = new HashSet<>(policy.needs().orders());
    Set<Need> others = new HashSet<>(policy.needs().others());
    if (asked != null) {
      orders.addAll(asked.orders());
      others.addAll(asked.policy.needs().others());
    }
    this.needs = new Needs(orders, others);
    this.core = new SchedulingCore(settings.core(), this);
  }

  void take(RecordedEntry entry) throws UserMistakeException {
    switch (entry.topic()) {
      case "facts" -> hold(entry);
      case "dispatches" -> takeDispatch(entry.value());
      default -> outcomes.record(entry.value());
    }
    release();
  }

  private void hold(RecordedEntry fact) throws UserMistakeException {
    if (fact.offset() != nextOffset) {
      throw new UserMistakeException(
          log + ", facts/" + shard,
          "the facts %d to %d are missing".formatted(nextOffset, fact.offset() - 1),
          nextOffset == 0
              ? "retention took them: decisions can be made again only from a shard's first fact on"
              : "the recording was made from a topic that had lost them");
    }
    nextOffset++;
    held.add(fact);
  }

  private void takeDispatch(byte[] value) {
    LoggedDispatch dispatch;
    try {
      dispatch = new LoggedDispatch(value, EventCodec.DISPATCHES.read(value));
    } catch (UnreadableEventException e) {
      differ(-1, Kind.UNREADABLE, Decision.unreadable(value), Decision.NOTHING);
      return;
    }
    DispatchId id = dispatch.event().dispatchId();
    if (lastRecorded != null && id.compareTo(lastRecorded) <= 0) {
      differ(-1, Kind.ORDER, Decision.of(dispatch.event()), Decision.NOTHING);
    } else {
      lastRecorded = id;
      dispatches.add(dispatch);
    }
  }

  /** Returns how many decisions made again have no record, since the log was cut short. */
  long finish(boolean cutShort) throws UserMistakeException {
    finished = true;
    cut = cutShort;
    release();
    if (isOver()) {
      return 0;
    }
    notStarted(Long.MAX_VALUE);
    return unrecorded + outcomes.finish(at, cut);
  }

  /** Returns whether the stop was reached, or a difference behind which nothing is compared. */
  boolean isOver() {
    return stopped || (!follows && tally.first() != null);
  }

  long facts() {
    return nextOffset;
  }

  private void release() throws UserMistakeException {
    while (!isOver() && !held.isEmpty() && (finished || isKnown(held.element().offset()))) {
      apply(held.remove());
    }
  }

  /** Returns whether all recorded dispatches of a fact have been taken. */
  private boolean isKnown(long offset) {
    return lastRecorded != null && offset < lastRecorded.factOffset();
  }

  private void apply(RecordedEntry entry) throws UserMistakeException {
    Fact fact = fact(entry.value());
    if (run == null && fact instanceof RunStarted started) {
      run = started;
    }
    long nowNs = run == null ? 0 : (entry.appendedAtEpochMs() - run.timeZeroEpochMs()) * NS_PER_MS;
    at = new LoggedFact(shard, entry.offset(), Math.max(at.nowNs(), nowNs), fact);
    place = 0;
    known = isKnown(entry.offset()) || !cut;
    if (isStop(-1)) {
      return;
    }
    if (asked != null) {
      asked.begin(at);
    }
    if (fact != null) {
      core.apply(entry.offset(), nowNs, fact, this);
    }
    notStarted(entry.offset());
    if (asked != null) {
      asked.applied();
    }
  }

  private static @Nullable Fact fact(byte[] value) {
    try {
      return EventCodec.FACTS.read(value);
    } catch (UnreadableEventException e) {
      return null; // the core learnt nothing from it
    }
  }

  /** Takes the recorded dispatches of facts up to this one that were not made again. */
  private void notStarted(long factOffset) {
    while (!dispatches.isEmpty() && idOfNext().factOffset() <= factOffset) {
      Decision then = Decision.of(dispatches.remove().event());
      differ(-1, Kind.NOT_STARTED, then, Decision.NOTHING);
    }
  }

  private boolean isStop(int before) {
    if (stop != null && !stopped && stop.offset() == at.offset() && stop.place() == before) {
      stopped = true;
      stop.then().accept(core, at);
    }
    return stopped;
  }

  @Override
  public Needs needs() {
    return needs;
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
    var here = new DispatchId(at.offset(), place);
    LoggedDispatch then = recordedAt(here);
    preparation = null;
    if (then != null && then.event() instanceof LanePrepared && !loads) {
      preparation = then;
      here = new DispatchId(at.offset(), place + 1);
      then = recordedAt(here);
    }
    recorded = then;
    Choice answer = followed(state, here, own);
    if (asked != null) {
      asked.ask(
          state,
          here,
          then != null && then.event() instanceof BatchDispatched batch ? batch : null,
          answer);
    }
    return answer;
  }

  private @Nullable LoggedDispatch recordedAt(DispatchId id) {
    return !dispatches.isEmpty() && idOfNext().equals(id) ? dispatches.remove() : null;
  }

  private DispatchId idOfNext() {
    return dispatches.element().event().dispatchId();
  }

  /** Returns the recorded answer, as far as it is known and breaks no rule; else the own answer. */
  private Choice followed(SchedulerState state, DispatchId here, Choice own) {
    LoggedDispatch dispatch = recorded;
    Decision then = dispatch == null ? Decision.NOTHING : Decision.of(dispatch.event());
    Decision now = Decision.of(here, own);
    Kind kind = Decision.difference(then, now);
    repeats = dispatch != null && kind == null;
    if (kind == null || (dispatch == null && !known)) {
      return own;
    }
    Choice answer = own;
    String note = null;
    if (dispatch == null) {
      answer = Choice.nothing(Cause.POLICY);
    } else if (dispatch.event() instanceof BatchDispatched batch) {
      try {
        List<String> jobIds = batch.jobs().stream().map(DispatchedJob::jobId).toList();
        answer = RecordedDecisions.start(state, jobIds, batch.executorId(), batch.lanes());
      } catch (InvalidChoiceException e) {
        note =
            "the recorded start cannot be repeated, so that the histories part: " + e.getMessage();
      }
    } else {
      note = "the recorded preparation cannot be repeated, so that the histories part";
    }
    Choice about = dispatch == null ? own : answer;
    String classType =
        note == null && about instanceof Choice.Start start ? AskedPolicy.classOf(start) : null;
    differ(new Difference(at, place, kind, classType, then, now, List.of(), note));
    return answer;
  }

  @Override
  public void prepared(LanePrepared dispatch) {
    made(dispatch, loads ? recorded : preparation, repeats || !loads);
    preparation = null;
  }

  @Override
  public void started(BatchDispatched dispatch) {
    if (asked != null) {
      asked.started(dispatch.jobs());
    }
    made(dispatch, recorded, repeats);
  }

  /** Compares a dispatch with the recorded one, field by field if it repeats it. */
  private void made(Dispatch dispatch, @Nullable LoggedDispatch then, boolean isRepeated) {
    int madeAt = place++;
    if (then == null && known) {
      differ(madeAt, Kind.STARTED, Decision.NOTHING, Decision.of(dispatch));
    } else if (then == null) {
      unrecorded++;
    } else if (isRepeated && tally.first() == null) {
      byte[] value = EventCodec.DISPATCHES.write(dispatch);
      tally.compareFields(
          at, madeAt, then.value(), value, Decision.of(then.event()), Decision.of(dispatch));
    }
  }

  private void differ(int before, Kind kind, Decision then, Decision now) {
    differ(Difference.of(at, before, kind, null, then, now));
  }

  /** Notes a difference, unless there was one already. */
  private void differ(Difference difference) {
    if (tally.first() == null) {
      tally.other(difference);
    }
  }

  @Override
  public void ended(JobEnded end) {
    outcomes.make(end, at);
    if (asked != null) {
      asked.ended(end);
    }
  }

  @Override
  public void blocked(Blocked span) {
    outcomes.make(span, at);
    if (asked != null) {
      asked.blocked(span);
    }
  }

  /**
   * Compares one shard's outcomes, made again, with the recorded ones in their order, up to the
   * first difference.
   */
  private static final class OutcomeComparison {
    private final Tally tally;
    private final ArrayDeque<byte[]> recorded = new ArrayDeque<>();
    private final ArrayDeque<Made> made = new ArrayDeque<>();

    private record Made(Outcome event, LoggedFact after) {}

    OutcomeComparison(Tally tally) {
      this.tally = tally;
    }

    void record(byte[] value) {
      recorded.add(value);
      compare();
    }

    void make(Outcome event, LoggedFact after) {
      made.add(new Made(event, after));
      compare();
    }

    /**
     * Ends the comparison.
     *
     * @param last last fact of the shard
     * @param cut whether the log may lack what the core made last
     * @return how many of the last outcomes made again have no record for that reason
     */
    long finish(LoggedFact last, boolean cut) {
      if (tally.first() == null && !recorded.isEmpty()) {
        Outcome event = read(recorded.element());
        Kind kind = event instanceof Blocked ? Kind.IDLE : Kind.NOT_ENDED;
        Decision then = decision(event, recorded.element());
        tally.other(Difference.of(last, -1, kind, null, then, Decision.NOTHING));
      } else if (tally.first() == null && !made.isEmpty() && !cut) {
        Made first = made.element();
        Kind kind = first.event() instanceof Blocked ? Kind.IDLE : Kind.ENDED;
        Decision now = Decision.of(first.event());
        tally.other(Difference.of(first.after(), -1, kind, null, Decision.NOTHING, now));
      }
      return cut ? made.size() : 0;
    }

    private void compare() {
      while (tally.first() == null && !recorded.isEmpty() && !made.isEmpty()) {
        compare(recorded.remove(), made.remove());
      }
      if (tally.first() != null) {
        recorded.clear();
        made.clear();
      }
    }

    private void compare(byte[] value, Made own) {
      byte[] bytes = EventCodec.OUTCOMES.write(own.event());
      if (Arrays.equals(value, bytes)) {
        tally.equal();
        return;
      }
      Outcome event = read(value);
      Decision then = decision(event, value);
      Decision now = Decision.of(own.event());
      if (event == null) {
        tally.other(Difference.of(own.after(), -1, Kind.UNREADABLE, null, then, Decision.NOTHING));
      } else if (!subject(event).equals(subject(own.event()))) {
        boolean isSpan = event instanceof Blocked || own.event() instanceof Blocked;
        Kind kind = isSpan ? Kind.IDLE : Kind.ENDED;
        tally.other(Difference.of(own.after(), -1, kind, null, then, now));
      } else {
        tally.compareFields(own.after(), -1, value, bytes, then, now);
      }
    }

    /** Returns what an outcome is about: a job, or the span that began at a time. */
    private static Object subject(Outcome event) {
      return event instanceof JobEnded end ? end.jobId() : ((Blocked) event).fromNs();
    }

    private static Decision decision(@Nullable Outcome event, byte[] value) {
      return event == null ? Decision.unreadable(value) : Decision.of(event);
    }

    private static @Nullable Outcome read(byte[] value) {
      try {
        return EventCodec.OUTCOMES.read(value);
      } catch (UnreadableEventException e) {
        return null;
      }
    }
  }
}
