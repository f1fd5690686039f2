package dev.sluice.contract.experiment;

import dev.sluice.contract.file.Questions;
import dev.sluice.contract.file.Range;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The JSON Schema of one mapping, noted while its {@code Section} is read: each question of the
 * reader declares a key with its kind, range, names and default. A mapping that is read several
 * times, as an entry of a list is, has the union of what was asked.
 *
 * <p>Deliberately absent: rules between two keys. A reader checks them by itself, so that a file
 * may be valid against the schema and still be refused, never the other way round.
 */
final class Schema implements Questions {
  private static final String TYPE = "type";
  private static final String DEFAULT = "default";
  private static final String MINIMUM = "minimum";
  private static final String MAXIMUM = "maximum";
  private static final String PATTERN = "pattern";
  private static final String ITEMS = "items";
  private static final String DESCRIPTION = "description";

  /** A plain text: YAML takes unquoted digits for a number, and the reader takes them as text. */
  private static final List<String> TEXT = List.of("string", "number");

  private final Map<String, Map<String, Object>> keywordsByKey = new LinkedHashMap<>();
  private final Map<String, Schema> mappingByKey = new LinkedHashMap<>();
  private final Map<String, Map<String, Object>> keywordsByPattern = new LinkedHashMap<>();
  private final Set<String> required = new LinkedHashSet<>();
  private @Nullable Chosen chosen;

  private record Chosen(Pattern names, Collection<String> reserved, Schema mapping) {}

  @Override
  public void require(String key) {
    required.add(key);
  }

  @Override
  public void ask(String key, Kind kind, @Nullable Object fallback, Object... more) {
    declare(
        key,
        switch (kind) {
          case ANY -> keywords();
          case NUMBER -> number(more);
          case NUMBER_OR_NONE -> orNone(number(more));
          case NUMBERS -> keywords(ITEMS, number(more));
          case WHOLE -> whole(more);
          case WHOLE_OR_NONE -> orNone(whole(more));
          case WHOLES -> keywords(ITEMS, whole(more));
          case FLAG -> keywords(TYPE, "boolean");
          case TEXT ->
              more.length == 0
                  ? keywords(TYPE, TEXT)
                  : keywords(TYPE, TEXT, PATTERN, whole((Pattern) more[0]));
          case NAME -> oneOf((Collection<?>) more[0]);
          case NAMES -> keywords(ITEMS, oneOf((Collection<?>) more[0]));
          case LIST -> list((boolean) more[0]);
        },
        fallback);
  }

  /**
   * Declares that entries of the list under a declared key may be known names in place of mappings,
   * and the names that are its default.
   */
  void namesOfItems(String key, Collection<String> names, List<String> fallback) {
    Map<String, Object> keywords = new LinkedHashMap<>(keywordsByKey.getOrDefault(key, Map.of()));
    keywords.put(DEFAULT, fallback);
    keywords.put(ITEMS, oneOf(names));
    keywordsByKey.put(key, keywords);
  }

  /** Declares all keys that match a pattern. */
  void declare(Pattern keys, Map<String, Object> keywords) {
    keywordsByPattern.put(whole(keys), keywords);
  }

  /**
   * A text of a form, alone or in a mapping beside a flag.
   *
   * @param textKey key of the text in the mapping
   * @param flagKey key of the flag in the mapping, which may be absent
   */
  static Map<String, Object> quotedOrFlagged(Pattern form, String textKey, String flagKey) {
    Map<String, Object> text = keywords(TYPE, "string", PATTERN, whole(form));
    Map<String, Object> flagged =
        keywords(
            TYPE,
            "object",
            "properties",
            keywords(textKey, text, flagKey, keywords(TYPE, "boolean")),
            "required",
            List.of(textKey),
            "additionalProperties",
            false);
    return keywords("anyOf", List.of(text, flagged));
  }

  private static Map<String, Object> number(Object... more) {
    var range = (Range) more[0];
    return keywords(TYPE, "number", MINIMUM, plain(range.least()), MAXIMUM, plain(range.most()));
  }

  private static Map<String, Object> whole(Object... more) {
    long least = ((Number) more[0]).longValue();
    long most = ((Number) more[1]).longValue();
    return keywords(TYPE, "integer", MINIMUM, least, MAXIMUM, most);
  }

  private static Map<String, Object> orNone(Map<String, Object> keywords) {
    return keywords("anyOf", List.of(keywords, Map.of("const", "none")));
  }

  private static Map<String, Object> oneOf(Collection<?> names) {
    return keywords("enum", List.copyOf(names));
  }

  private static Map<String, Object> list(boolean repeats) {
    Map<String, Object> keywords = keywords(TYPE, "array", "minItems", 1);
    if (!repeats) {
      keywords.put("uniqueItems", true);
    }
    return keywords;
  }

  private void declare(String key, Map<String, Object> keywords, @Nullable Object fallback) {
    if (fallback instanceof Double number) {
      if (!number.isNaN()) {
        keywords.put(DEFAULT, plain(number));
      }
    } else if (fallback != null && !fallback.equals("") && !fallback.equals(List.of())) {
      keywords.put(DEFAULT, fallback);
    }
    declare(key, keywords);
  }

  @Override
  public Schema mapping(String key) {
    declare(key, Map.of());
    return mappingByKey.computeIfAbsent(key, k -> new Schema());
  }

  @Override
  public Schema chosen(Pattern names, Collection<String> reserved) {
    if (chosen == null) {
      chosen = new Chosen(names, reserved, new Schema());
    }
    return chosen.mapping;
  }

  /** Declares a key without a default. */
  void declare(String key, Map<String, Object> keywords) {
    keywordsByKey.merge(key, keywords, Schema::union);
  }

  /** Both declarations of a key: the wider range, and a default only where it is one for both. */
  private static Map<String, Object> union(Map<String, Object> one, Map<String, Object> other) {
    Map<String, Object> union = new LinkedHashMap<>(one);
    other.forEach(union::putIfAbsent);
    if (one.containsKey(DEFAULT)
        && other.containsKey(DEFAULT)
        && !one.get(DEFAULT).equals(other.get(DEFAULT))) {
      union.remove(DEFAULT);
    }
    if (one.get(MINIMUM) instanceof Long a && other.get(MINIMUM) instanceof Long b) {
      union.put(MINIMUM, Math.min(a, b));
    }
    if (one.get(MAXIMUM) instanceof Long a && other.get(MAXIMUM) instanceof Long b) {
      union.put(MAXIMUM, Math.max(a, b));
    }
    return union;
  }

  /** Moves a declared key behind those that are declared by now. */
  void moveToEnd(String key) {
    declare(key, Objects.requireNonNull(keywordsByKey.remove(key)));
  }

  /**
   * The schema as a tree of maps, lists, texts and numbers, in the order of the declarations.
   *
   * @param description what a key means, by dotted name; NAME stands for a name that the user
   *     chooses
   */
  Map<String, Object> toMap(Function<String, Optional<String>> description) {
    return toMap("", description);
  }

  private Map<String, Object> toMap(String prefix, Function<String, Optional<String>> description) {
    Map<String, Object> properties = new LinkedHashMap<>();
    keywordsByKey.forEach(
        (key, keywords) -> {
          Map<String, Object> property = new LinkedHashMap<>();
          description.apply(prefix + key).ifPresent(text -> property.put(DESCRIPTION, text));
          property.putAll(keywords);
          Schema mapping = mappingByKey.get(key);
          if (mapping != null) {
            nest(mapping.toMap(prefix + key + ".", description), property);
          }
          if (required.contains(key)) {
            property.remove(DEFAULT);
          }
          properties.put(key, property);
        });
    Map<String, Object> map = keywords(TYPE, "object", "properties", properties);
    if (!required.isEmpty()) {
      map.put("required", List.copyOf(required));
    }
    Map<String, Object> patterns = new LinkedHashMap<>(keywordsByPattern);
    if (prefix.isEmpty()) {
      patterns.put("^x-", Map.of());
    }
    if (!patterns.isEmpty()) {
      map.put("patternProperties", patterns);
    }
    map.put("additionalProperties", false);
    if (chosen != null) {
      map.put(
          "propertyNames",
          keywords(
              PATTERN, whole(chosen.names), "not", Map.of("enum", List.copyOf(chosen.reserved))));
      map.put("additionalProperties", chosen.mapping.toMap(prefix + "NAME.", description));
    }
    return map;
  }

  private static void nest(Map<String, Object> mapping, Map<String, Object> property) {
    Object alone = property.remove("enum");
    if (alone != null) { // a name alone, or a mapping
      property.put("anyOf", List.of(Map.of("enum", alone), mapping));
      return;
    }
    if (TEXT.equals(property.get(TYPE))) { // a text alone, or a mapping
      property.put("anyOf", List.of(Map.of(TYPE, TEXT), mapping));
      property.remove(TYPE);
      return;
    }
    if (!"array".equals(property.get(TYPE))) {
      property.putAll(mapping);
      return;
    }
    Object names = property.get(ITEMS);
    property.put(ITEMS, names == null ? mapping : Map.of("anyOf", List.of(names, mapping)));
  }

  private static Map<String, Object> keywords(Object... keywordsAndValues) {
    Map<String, Object> keywords = new LinkedHashMap<>();
    for (int i = 0; i < keywordsAndValues.length; i += 2) {
      keywords.put(String.valueOf(keywordsAndValues[i]), keywordsAndValues[i + 1]);
    }
    return keywords;
  }

  private static Number plain(double value) {
    if (value == Math.rint(value)) {
      return (long) value;
    }
    return value;
  }

  /** The pattern of a whole text: that of a schema may match anywhere in it. */
  private static String whole(Pattern pattern) {
    return "^(?:" + pattern.pattern() + ")$";
  }
}
