package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedDispatch;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/** Compares one shard's dispatches, made again, with the recorded ones of the same names. */
final class DispatchMatch {
  private final Tally tally;

  /** Dispatches made again without knowledge of the record. */
  private final ArrayDeque<Made> open = new ArrayDeque<>();

  /**
   * A dispatch made again.
   *
   * @param place its index among those of its fact
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  record Made(byte[] value, Moment after, int place, BatchDispatched event) {
    DispatchId id() {
      return event.dispatchId();
    }
  }

  DispatchMatch(Tally tally) {
    this.tally = tally;
  }

  boolean hasOpen() {
    return !open.isEmpty();
  }

  /** Keeps a dispatch made again until the record tells of it. */
  void open(Made made) {
    open.add(made);
  }

  /**
   * Ends the comparison.
   *
   * @param cut whether the log may lack what the core made last
   * @return how many dispatches made again have no record for that reason
   */
  long finish(boolean cut) {
    if (!cut) {
      open.forEach(this::additional);
      open.clear();
    }
    return open.size();
  }

  /** Compares a recorded dispatch with the one of its name that is kept. */
  void matchOpen(DispatchId id, LoggedDispatch then, Moment at) {
    while (!open.isEmpty() && open.element().id().compareTo(id) < 0) {
      additional(open.remove());
    }
    if (!open.isEmpty() && open.element().id().equals(id)) {
      compare(then, open.remove());
    } else {
      recordedOnly(Kind.NOT_STARTED, then, at);
    }
  }

  void compare(LoggedDispatch then, Made made) {
    if (Arrays.equals(then.value(), made.value())) {
      tally.equal();
      return;
    }
    var fields = EventFields.differing(then.value(), made.value());
    if (fields.isEmpty()) {
      tally.equal();
    } else {
      tally.other(
          new Difference(
              made.after(),
              made.place(),
              Kind.FIELDS,
              null,
              decision(then),
              Decision.Started.of(made.event()),
              fields,
              null));
    }
  }

  private void additional(Made made) {
    tally.other(
        new Difference(
            made.after(),
            made.place(),
            Kind.STARTED,
            null,
            new Decision.Nothing(null),
            Decision.Started.of(made.event()),
            List.of(),
            null));
  }

  /** Counts a recorded dispatch that is not made again. */
  void recordedOnly(Kind kind, LoggedDispatch then, Moment after) {
    tally.other(
        new Difference(
            after, -1, kind, null, decision(then), new Decision.Nothing(null), List.of(), null));
  }

  static Decision decision(LoggedDispatch dispatch) {
    BatchDispatched event = dispatch.event();
    return event == null ? OutcomeMatch.unreadable(dispatch.value()) : Decision.Started.of(event);
  }
}
