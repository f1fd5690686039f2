package dev.sluice.scheduler.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.scheduler.replay.Difference.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares two events field by field. */
final class EventFields {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String VERSION = "version";

  private EventFields() {}

  /**
   * Returns the fields of a recorded event that differ from those of the event made again. A record
   * of an older version lacks newer fields: these are not compared, and neither are fields of a
   * version that this Sluice does not know.
   */
  static List<Field> differing(byte[] then, byte[] now) {
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
}
