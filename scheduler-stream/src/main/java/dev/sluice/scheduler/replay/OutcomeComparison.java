package dev.sluice.scheduler.replay;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.Outcome;
import dev.sluice.scheduler.replay.Difference.Field;
import dev.sluice.scheduler.replay.Difference.Kind;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares one shard's outcomes, made again, with the recorded ones in their order, up to the first
 * difference.
 */
final class OutcomeComparison {
  private final Tally tally;
  private final ArrayDeque<byte[]> recorded = new ArrayDeque<>();
  private final ArrayDeque<Made> made = new ArrayDeque<>();

  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  private record Made(Outcome event, byte[] value, LoggedFact after) {}

  OutcomeComparison(Tally tally) {
    this.tally = tally;
  }

  void record(byte[] value) {
    recorded.add(value);
    compare();
  }

  void make(Outcome event, LoggedFact after) {
    made.add(new Made(event, EventCodec.OUTCOMES.write(event), after));
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
      tally.other(Difference.of(last, kind, decision(recorded.element()), Decision.NOTHING));
    } else if (tally.first() == null && !made.isEmpty() && !cut) {
      Made first = made.element();
      Kind kind = first.event() instanceof Blocked ? Kind.IDLE : Kind.ENDED;
      tally.other(Difference.of(first.after(), kind, Decision.NOTHING, Decision.of(first.event())));
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
    if (Arrays.equals(value, own.value())) {
      tally.equal();
      return;
    }
    Decision then = decision(value);
    Decision now = Decision.of(own.event());
    Outcome event = read(value);
    if (event == null) {
      tally.other(Difference.of(own.after(), Kind.UNREADABLE, then, Decision.NOTHING));
    } else if (!subject(event).equals(subject(own.event()))) {
      boolean isSpan = event instanceof Blocked || own.event() instanceof Blocked;
      tally.other(Difference.of(own.after(), isSpan ? Kind.IDLE : Kind.ENDED, then, now));
    } else {
      List<Field> fields = EventFields.differing(value, own.value());
      if (fields.isEmpty()) {
        tally.equal();
      } else {
        tally.other(new Difference(own.after(), -1, Kind.FIELDS, null, then, now, fields, null));
      }
    }
  }

  /** Returns what an outcome is about: a job, or the span that began at a time. */
  private static Object subject(Outcome event) {
    return event instanceof JobEnded end ? end.jobId() : ((Blocked) event).fromNs();
  }

  private static Decision decision(byte[] value) {
    Outcome event = read(value);
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
