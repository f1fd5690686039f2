package dev.sluice.contract.file;

import dev.sluice.contract.file.YamlTree.Entry;
import dev.sluice.contract.file.YamlTree.Mapping;
import dev.sluice.contract.file.YamlTree.Scalar;
import dev.sluice.contract.file.YamlTree.Sequence;
import dev.sluice.contract.file.YamlTree.Value;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the file, read key by key. To ask for a key makes it known; {@link #end} then
 * complains of the others. Each mistake is noted with its line and answered with the default (a
 * fraction with NaN), so that reading goes on and finds the next one.
 */
public final class Section {
  private final String prefix;
  private final Mapping mapping;
  private final Problems problems;
  private final Map<String, Place> places;
  private final Set<String> known = new LinkedHashSet<>();

  /**
   * @param prefix what stands before its keys in messages: empty, or {@code lanes.}
   * @param places where keys stand, by dotted name; filled as they are read
   */
  public Section(String prefix, Mapping mapping, Problems problems, Map<String, Place> places) {
    this.prefix = prefix;
    this.mapping = mapping;
    this.problems = problems;
    this.places = places;
  }

  public boolean has(String key) {
    return mapping.entries().containsKey(key);
  }

  public List<String> keys() {
    return List.copyOf(mapping.entries().keySet());
  }

  /** The key as messages name it. */
  public String name(String key) {
    return prefix + key;
  }

  /** Where the key's value stands; the section itself if it is not there. */
  public Place place(String key) {
    Entry entry = mapping.entries().get(key);
    return entry == null ? mapping.place() : entry.value().place();
  }

  /** The key's value, or null if it is absent or empty. */
  @Nullable
  public Value find(String key) {
    known.add(key);
    Entry entry = mapping.entries().get(key);
    if (entry == null) {
      return null;
    }
    places.put(
        prefix + key, entry.value() instanceof Scalar ? entry.value().place() : entry.keyPlace());
    if (entry.value() instanceof Scalar scalar && scalar.missing()) {
      problems.error(
          entry.keyPlace(),
          prefix + key + " has no value",
          "the line is to be left out, for its default");
      return null;
    }
    return entry.value();
  }

  /** A key without a default; NaN if it is missing. */
  public double required(String key, Range range, String example) {
    if (!has(key)) {
      known.add(key);
      problems.error(
          mapping.place(),
          prefix + key + " is missing",
          "a line is to be added: " + key + ": " + example);
    }
    return number(key, Double.NaN, range, "a number such as " + example + " will do");
  }

  public double number(String key, double fallback, Range range) {
    return number(
        key,
        fallback,
        range,
        "it is to be left out, for its default"
            + (Double.isNaN(fallback) ? "" : ", " + Numbers.text(fallback)));
  }

  public double number(String key, double fallback, Range range, String maybe) {
    Value value = find(key);
    if (value == null) {
      return fallback;
    }
    String written = written(value);
    if (!(value instanceof Scalar scalar)
        || scalar.quoted()
        || !(Numbers.DECIMAL.matcher(written).matches()
            || Numbers.NOT_FINITE.matcher(written).matches())) {
      problems.error(value.place(), message(prefix + key, value, "must be a number"), maybe);
      return Double.NaN;
    }
    double number =
        Numbers.NOT_FINITE.matcher(written).matches() ? Double.NaN : Double.parseDouble(written);
    if (!range.contains(number)) {
      problems.error(
          value.place(),
          message(prefix + key, value, "must be " + range.words()),
          number < 0 && range.contains(-number) ? "you meant " + Numbers.text(-number) : maybe);
      return Double.NaN;
    }
    return number + 0.0; // no negative zero
  }

  public int whole(String key, int fallback, int least, int most) {
    return (int) whole(key, (long) fallback, least, most);
  }

  public long whole(String key, long fallback, long least, long most) {
    Value value = find(key);
    if (value == null) {
      return fallback;
    }
    Long number = wholeOf(prefix + key, value, least, most);
    return number == null ? fallback : number;
  }

  /** A whole number; null for {@code none} and for an absent key. */
  @Nullable
  public Integer wholeOrNone(String key, int least, int most) {
    Value value = find(key);
    Long number = value == null || none(value) ? null : wholeOf(prefix + key, value, least, most);
    return number == null ? null : Math.toIntExact(number);
  }

  /** A number; null for {@code none} and for an absent key. */
  @Nullable
  public Double numberOrNone(String key, Range range) {
    Value value = find(key);
    return value == null || none(value)
        ? null
        : number(key, Double.NaN, range, "none is meant, for no bound");
  }

  private static boolean none(Value value) {
    return written(value).equals("none");
  }

  /** A list of whole numbers. */
  public List<Integer> wholes(
      String key, List<Integer> fallback, int least, int most, boolean repeats) {
    return list(
        key,
        fallback,
        repeats,
        item -> {
          Long number = wholeOf(prefix + key, item, least, most);
          return number == null ? null : Math.toIntExact(number);
        });
  }

  public boolean flag(String key, boolean fallback) {
    Value value = find(key);
    if (value == null) {
      return fallback;
    }
    String written =
        value instanceof Scalar s && !s.quoted() ? s.text().toLowerCase(Locale.ROOT) : "";
    if (List.of("true", "yes", "on").contains(written)) {
      return true;
    }
    if (!List.of("false", "no", "off").contains(written)) {
      problems.error(
          value.place(),
          message(prefix + key, value, "must be true or false"),
          "it is to be left out, for its default, " + fallback);
      return fallback;
    }
    return false;
  }

  /** A text; the fallback if there is none. */
  public String text(String key, String fallback) {
    String text = textOrNull(key);
    return text == null ? fallback : text;
  }

  @Nullable
  public String textOrNull(String key) {
    Value value = find(key);
    return value == null ? null : textOf(prefix + key, value);
  }

  public String oneOf(String key, String fallback, Collection<String> names, String plural) {
    Value value = find(key);
    String name = value == null ? null : knownName(key, value, names, plural);
    return name == null ? fallback : name;
  }

  /** A list of known names, none twice. */
  public List<String> namesOf(
      String key, List<String> fallback, Collection<String> names, String plural) {
    return list(key, fallback, false, item -> knownName(key, item, names, plural));
  }

  /**
   * A list that is not empty.
   *
   * @param repeats whether something may stand in it twice
   * @param read gives null for what it complained of
   */
  public <T> List<T> list(
      String key, List<T> fallback, boolean repeats, Function<Value, @Nullable T> read) {
    Value value = find(key);
    if (value == null) {
      return fallback;
    }
    if (!(value instanceof Sequence sequence)) {
      problems.error(
          value.place(),
          message(prefix + key, value, "must be a list"),
          "you meant [" + written(value) + "]");
      return fallback;
    }
    if (sequence.items().isEmpty()) {
      problems.error(
          value.place(),
          prefix + key + " ([]) is an empty list",
          "it is to be left out, for its default");
      return fallback;
    }
    List<T> items = new ArrayList<>();
    for (Value item : sequence.items()) {
      T element = read.apply(item);
      if (element != null && !repeats && items.contains(element)) {
        problems.error(
            item.place(),
            message(prefix + key, item, "stands in the list twice"),
            "one of the two is to be removed");
      } else if (element != null) {
        items.add(element);
      }
    }
    return items;
  }

  /** The mapping under a key, empty if there is none. */
  public Section section(String key) {
    String childPrefix = prefix + key + ".";
    Value value = find(key);
    if (value instanceof Mapping child) {
      Place place = places.getOrDefault(prefix + key, child.place());
      return new Section(childPrefix, new Mapping(place, child.entries()), problems, places);
    }
    if (value != null) {
      problems.error(
          value.place(),
          message(prefix + key, value, "must be a mapping of keys to values"),
          "its keys are to stand below it, indented by two spaces");
    }
    return new Section(
        childPrefix, new Mapping(place(key), new LinkedHashMap<>()), problems, places);
  }

  /** Complains of each key that nobody asked for. */
  public void end() {
    mapping
        .entries()
        .forEach(
            (key, entry) -> {
              if (!known.contains(key)) {
                problems.error(
                    entry.keyPlace(),
                    "the key " + prefix + key + " is unknown",
                    NearestName.advice(
                        key,
                        known,
                        prefix.isEmpty()
                            ? "keys"
                            : "keys of " + prefix.substring(0, prefix.length() - 1)));
              }
            });
  }

  private @Nullable String knownName(
      String key, Value value, Collection<String> names, String plural) {
    String name = textOf(prefix + key, value);
    if (name != null && !names.contains(name)) {
      problems.error(
          value.place(),
          message(prefix + key, value, "is unknown"),
          NearestName.advice(name, names, plural));
      return null;
    }
    return name;
  }

  /** A text that is not null; otherwise null, and a problem. */
  @Nullable
  public String textOf(String name, Value value) {
    if (value instanceof Scalar scalar && !scalar.missing()) {
      return scalar.text();
    }
    problems.error(value.place(), message(name, value, "must be a text"), "it is to be one name");
    return null;
  }

  private @Nullable Long wholeOf(String name, Value value, long least, long most) {
    String written = written(value);
    boolean number = value instanceof Scalar scalar && !scalar.quoted();
    if (number && Numbers.WHOLE.matcher(written).matches()) {
      var whole = new BigInteger(written);
      if (whole.bitLength() < 64 && whole.longValue() >= least && whole.longValue() <= most) {
        return whole.longValue();
      }
      problems.error(
          value.place(),
          message(name, value, "must be at least " + least + " and at most " + most),
          "you meant " + nearest(whole, least, most));
    } else if (number && Numbers.DECIMAL.matcher(written).matches()) {
      String nearest = Numbers.text(Math.rint(Double.parseDouble(written)));
      problems.error(
          value.place(), message(name, value, "must be a whole number"), "you meant " + nearest);
    } else {
      problems.error(
          value.place(),
          message(name, value, "must be a whole number"),
          "it is to be written in digits, without quotes");
    }
    return null;
  }

  /** The number without its minus sign if that will do, else the end of the range that is near. */
  private static BigInteger nearest(BigInteger whole, long least, long most) {
    BigInteger low = BigInteger.valueOf(least);
    BigInteger high = BigInteger.valueOf(most);
    BigInteger positive = whole.abs();
    return positive.compareTo(low) >= 0 && positive.compareTo(high) <= 0
        ? positive
        : whole.max(low).min(high);
  }

  private static String message(String name, Value value, String rule) {
    return name + " (" + written(value) + ") " + rule;
  }

  /** A value for a message. */
  private static String written(Value value) {
    if (value instanceof Scalar scalar) {
      String text = scalar.missing() ? "nothing" : scalar.text();
      return text.length() <= 60 ? text : text.substring(0, 60) + "…";
    }
    return value instanceof Sequence ? "a list" : "a mapping";
  }
}
