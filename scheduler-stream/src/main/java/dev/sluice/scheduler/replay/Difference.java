package dev.sluice.scheduler.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sluice.contract.event.Fact;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
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

  static Difference of(
      LoggedFact after,
      int place,
      Kind kind,
      @Nullable String classType,
      Decision then,
      Decision now) {
    return new Difference(after, place, kind, classType, then, now, List.of(), null);
  }

  /**
   * Returns the fields of a recorded event that differ from those of the event made again. A record
   * of an older version lacks newer fields: these are not compared, and neither are fields of a
   * version that this Sluice does not know.
   */
  static List<Field> differingFields(byte[] then, byte[] now) {
    if (Arrays.equals(then, now)) {
      return List.of();
    }
    JsonNode recorded = read(then);
    JsonNode own = read(now);
    List<Field> fields = new ArrayList<>();
    int byVersion = Integer.compare(recorded.path(VERSION).asInt(), own.path(VERSION).asInt());
    for (String name : names(own, recorded)) {
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
      names(now, then)
          .forEach(inner -> compare(name + "." + inner, then.get(inner), now.get(inner), fields));
    } else if (!withoutNull(then).equals(withoutNull(now))) {
      fields.add(new Field(name, Objects.toString(then, null), Objects.toString(now, null)));
    }
  }

  private static Set<String> names(JsonNode first, JsonNode second) {
    Set<String> names = new LinkedHashSet<>();
    first.fieldNames().forEachRemaining(names::add);
    second.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static JsonNode withoutNull(@Nullable JsonNode node) {
    return node == null || node.isNull() ? MissingNode.getInstance() : node;
  }

  private static JsonNode read(byte[] event) {
    try {
      return JSON.readTree(event);
    } catch (IOException e) {
      throw new IllegalStateException("an event that was read is no JSON", e);
    }
  }

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

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A field of an event, dotted where it is nested, with its values as JSON; null: absent. */
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
