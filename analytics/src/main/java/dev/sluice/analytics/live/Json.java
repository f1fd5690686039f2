package dev.sluice.analytics.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** JSON of pages: numbers of few digits, since a chart shows no more. */
final class Json {
  static final JsonMapper MAPPER = new JsonMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Json() {}

  static ObjectNode object() {
    return NODES.objectNode();
  }

  static ArrayNode array() {
    return NODES.arrayNode();
  }

  /** A number with four significant digits; {@code "inf"} if it is infinite, null if it is none. */
  static JsonNode number(@Nullable Double value) {
    if (value == null || value.isNaN()) {
      return NODES.nullNode();
    }
    if (value.isInfinite()) {
      return NODES.textNode("inf");
    }
    double absolute = Math.abs(value);
    if (absolute == 0 || absolute >= 1000) {
      return NODES.numberNode(Math.round(value));
    }
    double scale = Math.pow(10, 3 - (int) Math.floor(Math.log10(absolute)));
    double rounded = Math.round(value * scale) / scale;
    return rounded == Math.rint(rounded)
        ? NODES.numberNode((long) rounded)
        : NODES.numberNode(rounded);
  }

  /** A share with two decimals. */
  static JsonNode share(double value) {
    return number(Math.round(value * 100) / 100.0);
  }

  static JsonNode whole(@Nullable Long value) {
    return value == null ? NODES.nullNode() : NODES.numberNode(value);
  }

  static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(one -> texts.add(one.asText()));
    return texts;
  }

  static String write(JsonNode node) {
    try {
      return MAPPER.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a page that cannot be written", e);
    }
  }
}
