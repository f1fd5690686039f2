package dev.sluice.scheduler.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.Outcome;
import dev.sluice.scheduler.replay.Difference.Field;
import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduler.replay.LoggedRecord.LoggedOutcome;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares one shard's outcomes, made again, with the recorded ones. An outcome does not name the
 * fact that led to it, so that the two sequences are matched: by their bytes while they are equal,
 * by job or span from the first other one on.
 */
final class OutcomeMatch {
  private static final int KEPT_MAX = 100_000;
  private static final int SHOWN_BYTES = 80;

  private final Tally tally;

  /** Outcomes made again that wait for the record, in order. */
  private final ArrayDeque<Own> own = new ArrayDeque<>();

  /** Outcomes made again before ones that the record has, by job or span. */
  private final Map<String, Own> passedBy = new LinkedHashMap<>();

  /** Recorded outcomes that wait for the core. */
  private final ArrayDeque<LoggedOutcome> recorded = new ArrayDeque<>();

  private long nextPlace;
  private long lastPlace = -1;
  private Moment at = new Moment(0, -1, 0, null);

  /** An outcome made again, at its place in their order. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  private record Own(long place, Outcome event, byte[] value, Moment after) {}

  OutcomeMatch(Tally tally) {
    this.tally = tally;
  }

  void made(Outcome event, Moment after) {
    own.add(new Own(nextPlace++, event, EventCodec.OUTCOMES.write(event), after));
  }

  void recorded(LoggedOutcome outcome) {
    recorded.add(outcome);
    match(false);
  }

  /** Takes in that the core has applied all facts up to one. */
  void applied(Moment moment) {
    at = moment;
    match(false);
  }

  /**
   * Ends the comparison.
   *
   * @param cut whether the log may lack what the core made last
   * @return how many of the last outcomes made again have no record for that reason
   */
  long finish(boolean cut) {
    match(true);
    passedBy.values().forEach(this::additional);
    passedBy.clear();
    if (!cut) {
      own.forEach(this::additional);
      own.clear();
    }
    return own.size();
  }

  private void match(boolean finished) {
    while (!recorded.isEmpty()) {
      LoggedOutcome then = recorded.element();
      Own head = own.peek();
      if (head != null && Arrays.equals(head.value(), then.value())) {
        recorded.remove();
        own.remove();
        lastPlace = head.place();
        tally.equal();
      } else if (head == null && !finished && recorded.size() <= KEPT_MAX) {
        return; // the core is not as far yet
      } else if (!matchOther(then, finished)) {
        return;
      }
    }
  }

  /** Returns whether the recorded outcome, which is not the next one made again, was settled. */
  private boolean matchOther(LoggedOutcome then, boolean finished) {
    Outcome event;
    try {
      event = EventCodec.OUTCOMES.read(then.value());
    } catch (UnreadableEventException e) {
      recorded.remove();
      other(Kind.UNREADABLE, at, unreadable(then.value()), new Decision.Nothing(null), List.of());
      return true;
    }
    Own same = take(key(event));
    if (same == null) {
      if (!finished && recorded.size() <= KEPT_MAX && atNs(event) >= at.nowNs()) {
        return false; // the core may come to it
      }
      recorded.remove();
      Kind kind = event instanceof Blocked ? Kind.IDLE : Kind.NOT_ENDED;
      other(kind, at, decision(event), new Decision.Nothing(null), List.of());
      return true;
    }
    recorded.remove();
    List<Field> fields = EventFields.differing(then.value(), same.value());
    if (!fields.isEmpty()) {
      other(Kind.FIELDS, same.after(), decision(event), decision(same.event()), fields);
    } else if (same.place() < lastPlace) {
      other(Kind.ORDER, same.after(), decision(event), decision(same.event()), List.of());
    } else {
      tally.equal();
    }
    lastPlace = Math.max(lastPlace, same.place());
    return true;
  }

  /** Takes out the outcome of a job or span; those before it have been passed by. */
  private @Nullable Own take(String key) {
    Own passed = passedBy.remove(key);
    if (passed != null || own.stream().noneMatch(o -> key(o.event()).equals(key))) {
      return passed;
    }
    Own head = own.remove();
    while (!key(head.event()).equals(key)) {
      passedBy.put(key(head.event()), head);
      head = own.remove();
    }
    while (passedBy.size() > KEPT_MAX) {
      var oldest = passedBy.values().iterator();
      additional(oldest.next());
      oldest.remove();
    }
    return head;
  }

  private void additional(Own made) {
    Kind kind = made.event() instanceof Blocked ? Kind.IDLE : Kind.ENDED;
    other(kind, made.after(), new Decision.Nothing(null), decision(made.event()), List.of());
  }

  private void other(Kind kind, Moment after, Decision then, Decision now, List<Field> fields) {
    tally.other(new Difference(after, -1, kind, null, then, now, fields, null));
  }

  private static String key(Outcome event) {
    return event instanceof JobEnded end
        ? "job " + end.jobId()
        : "span " + ((Blocked) event).fromNs();
  }

  private static long atNs(Outcome event) {
    return event instanceof JobEnded end ? end.endedAtNs() : ((Blocked) event).toNs();
  }

  private static Decision decision(Outcome event) {
    return event instanceof JobEnded end
        ? new Decision.Ended(end)
        : new Decision.Idle((Blocked) event);
  }

  static Decision unreadable(byte[] bytes) {
    return new Decision.Unreadable(
        new String(bytes, 0, Math.min(bytes.length, SHOWN_BYTES), UTF_8)
            .replaceAll("\\p{Cntrl}", "?"));
  }
}
