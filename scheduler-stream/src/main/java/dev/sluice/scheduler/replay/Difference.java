package dev.sluice.scheduler.replay;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A decision that is not the recorded one.
 *
 * @param place index of the dispatch among those of its fact, before which the state shows why; -1:
 *     the state before the fact
 * @param classType class of the job that it is about, of several the recorded first one; null: it
 *     is about no job, or the record does not tell
 * @param then the recorded decision
 * @param now the decision made again
 * @param fields fields that differ, where both are events of one kind
 * @param note what else a reader must know; null: nothing
 */
public record Difference(
    LoggedFact after,
    int place,
    Kind kind,
    @Nullable String classType,
    Decision then,
    Decision now,
    List<Field> fields,
    @Nullable String note) {
  public Difference {
    fields = List.copyOf(fields);
  }

  static Difference of(LoggedFact after, Kind kind, Decision then, Decision now) {
    return new Difference(after, -1, kind, null, then, now, List.of(), null);
  }

  /** What differs. */
  public enum Kind {
    /** Other jobs start. */
    JOBS,
    /** The same jobs start on another lane. */
    LANE,
    /** A batch starts where the record has none. */
    STARTED,
    /** No batch starts where the record has one. */
    NOT_STARTED,
    /** The decision is the same but for some of its fields. */
    FIELDS,
    /** A job ends that does not end next in the record. */
    ENDED,
    /** A job does not end that ends in the record. */
    NOT_ENDED,
    /** A job is dropped that is not dropped then in the record, or for another reason. */
    DROPPED,
    /** A job stays that is dropped in the record. */
    NOT_DROPPED,
    /** A span of idle lanes is another one, or has another cause. */
    IDLE,
    /** The decision stands elsewhere in the record. */
    ORDER,
    /** The record holds bytes that are no decision. */
    UNREADABLE;

    /** The kind as reports write it. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A field of an event.
   *
   * @param name name as in the event's JSON, dotted where it is nested
   * @param then recorded value as JSON; null: the field is absent
   * @param now value made again, likewise
   */
  public record Field(String name, @Nullable String then, @Nullable String now) {}
}
