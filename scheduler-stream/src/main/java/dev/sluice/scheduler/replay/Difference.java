package dev.sluice.scheduler.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.Fact;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
  private static final JsonMapper JSON = new JsonMapper();
  private static final String VERSION = "version";

  public Difference {
    fields = List.copyOf(fields);
  }

  static Difference of(LoggedFact after, Kind kind, Decision then, Decision now) {
    return new Difference(after, -1, kind, null, then, now, List.of(), null);
  }

  /**
   * Returns the fields of a recorded event that differ from those of the event made again. A record
   * of an older version lacks newer fields: these are not compared, and neither are fields of a
   * version that this Sluice does not know.
   */
  static List<Field> differingFields(byte[] then, byte[] now) {
    JsonNode recorded = read(then);
    JsonNode own = read(now);
    List<Field> fields = new ArrayList<>();
    int byVersion = Integer.compare(recorded.path(VERSION).asInt(), own.path(VERSION).asInt());
    Set<String> names = new LinkedHashSet<>();
    own.fieldNames().forEachRemaining(names::add);
    recorded.fieldNames().forEachRemaining(names::add);
    for (String name : names) {
      boolean isOfOneVersion =
          (byVersion < 0 && !recorded.has(name)) || (byVersion > 0 && !own.has(name));
      if (!isOfOneVersion && (byVersion == 0 || !name.equals(VERSION))) {
        compare(name, recorded.get(name), own.get(name), fields);
      }
    }
    return fields;
  }

  private static void compare(
      String name, @Nullable JsonNode then, @Nullable JsonNode now, List<Field> fields) {
    if (then != null && now != null && then.isObject() && now.isObject()) {
      Set<String> names = new LinkedHashSet<>();
      now.fieldNames().forEachRemaining(names::add);
      then.fieldNames().forEachRemaining(names::add);
      names.forEach(inner -> compare(name + "." + inner, then.get(inner), now.get(inner), fields));
    } else if (!isNull(then) || !isNull(now)) {
      if (then == null || !then.equals(now)) {
        fields.add(new Field(name, text(then), text(now)));
      }
    }
  }

  private static boolean isNull(@Nullable JsonNode node) {
    return node == null || node.isNull();
  }

  private static JsonNode read(byte[] event) {
    try {
      return JSON.readTree(event);
    } catch (IOException e) {
      throw new IllegalStateException("an event that was read is no JSON", e);
    }
  }

  private static @Nullable String text(@Nullable JsonNode node) {
    try {
      return node == null ? null : JSON.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("JSON that was read cannot be written", e);
    }
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

  /**
   * A fact of a log, after which a decision was made.
   *
   * @param offset offset of the fact in its shard's {@code facts}; -1: before the first one
   * @param nowNs log time of the fact
   * @param fact the fact; null: bytes that are no event
   */
  public record LoggedFact(int shard, long offset, long nowNs, @Nullable Fact fact) {
    /** Orders facts by time, then shard and offset. */
    static final Comparator<LoggedFact> ORDER =
        Comparator.comparingLong(LoggedFact::nowNs)
            .thenComparingInt(LoggedFact::shard)
            .thenComparingLong(LoggedFact::offset);
  }
}
