package dev.sluice.contract.file;

import dev.sluice.contract.file.Questions.Kind;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of a file, read key by key. Each mistake is noted with its line and answered with the
 * default (a fraction with NaN), so that reading goes on and finds the next one.
 *
 * <p>A section is strict or lenient. A strict one is of a file that people write for Sluice: a key
 * that is asked for becomes known, {@link #end()} complains of all others, and a key without a
 * value is a mistake. A lenient one is of a file that other tools write too: null means that the
 * key is absent, and only keys that are nearly known are a mistake.
 *
 * <p>What a strict section is asked for, its {@link Questions} receive.
 */
public final class Section {
  /** Beginning of a key at the top of a file that only holds values for aliases to repeat. */
  static final String ANCHORS = "x-";

  private static final String NONE = "none";
  private static final List<String> YES = List.of("true", "yes", "on");
  private static final List<String> NO = List.of("false", "no", "off");

  private final String prefix;
  private final Mapping mapping;
  private final Problems problems;

  /** Places of the keys, by dotted name; null: the section is lenient. */
  private final @Nullable Map<String, Place> places;

  private final Questions questions;
  private final Set<String> known = new LinkedHashSet<>();

  private Section(
      String prefix,
      Mapping mapping,
      Problems problems,
      @Nullable Map<String, Place> places,
      Questions questions) {
    this.prefix = prefix;
    this.mapping = mapping;
    this.problems = problems;
    this.places = places;
    this.questions = questions;
  }

  /** The strict section of a whole file. Places, by dotted name, fill with each key. */
  public static Section strict(Mapping mapping, Problems problems, Map<String, Place> places) {
    return strict(mapping, problems, places, Questions.UNNOTED);
  }

  /** The strict section of a whole file; what is asked of it is told to a listener. */
  public static Section strict(
      Mapping mapping, Problems problems, Map<String, Place> places, Questions questions) {
    return new Section("", mapping, problems, places, questions);
  }

  /**
   * A lenient section.
   *
   * @param prefix what stands before its keys in messages: empty, or {@code models.llm7b.}
   */
  public static Section lenient(String prefix, Mapping mapping, Problems problems) {
    return new Section(prefix, mapping, problems, null, Questions.UNNOTED);
  }

  /** Tells whether the key stands in the section, with or without a value. */
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

  /** The place of the key's value; of the section if the key is absent. */
  public Place place(String key) {
    Entry entry = mapping.entries().get(key);
    return entry == null ? mapping.place() : entry.value().place();
  }

  public void error(String key, String what, String maybe) {
    problems.error(place(key), what, maybe);
  }

  private void error(String key, Value value, String rule, String maybe) {
    problems.error(value.place(), message(prefix + key, value, rule), maybe);
  }

  /** Allows a key with any value, which is not read. */
  public void ignore(String key) {
    questions.ask(key, Kind.ANY, null);
    find(key);
  }

  /** The key's value; null if the key is absent or has no value. */
  public @Nullable Value find(String key) {
    Entry entry = mapping.entries().get(key);
    known.add(key);
    if (places != null && entry != null) {
      note(key, entry, places);
    }
    return entry == null || (entry.value() instanceof Scalar scalar && scalar.missing())
        ? null
        : entry.value();
  }

  private void note(String key, Entry entry, Map<String, Place> noted) {
    boolean scalar = entry.value() instanceof Scalar;
    noted.put(prefix + key, scalar ? entry.value().place() : entry.keyPlace());
    if (entry.value() instanceof Scalar s && s.missing()) {
      problems.error(
          entry.keyPlace(),
          prefix + key + " has no value",
          "the line should be left out, for its default");
    }
  }

  private void require(String key, String example) {
    questions.require(key);
    if (places == null ? find(key) == null : !has(key)) {
      known.add(key);
      missing(key, example);
    }
  }

  /** Notes the mistake that a key without a default is missing. */
  public void missing(String key, String example) {
    error(key, prefix + key + " is missing", "a line should be added: " + key + ": " + example);
  }

  /** A required number; NaN if it is absent or wrong. */
  public double required(String key, Range range, String example) {
    require(key, example);
    return number(key, Double.NaN, range, "you meant a number such as " + example);
  }

  public double number(String key, double fallback, Range range) {
    return number(
        key,
        fallback,
        range,
        "the line should be left out, for its default"
            + (Double.isNaN(fallback) ? "" : ", " + Numbers.text(fallback)));
  }

  public double number(String key, double fallback, Range range, String maybe) {
    questions.ask(key, Kind.NUMBER, fallback, range);
    Value value = find(key);
    return value == null ? fallback : number(key, value, range, maybe);
  }

  /** A number; null if it is absent or wrong. */
  public @Nullable Double numberOrNull(String key, Range range) {
    return orNull(number(key, Double.NaN, range, "its unit is wrong, or a digit is"));
  }

  private static @Nullable Double orNull(double number) {
    return Double.isNaN(number) ? null : Double.valueOf(number);
  }

  /** A number; null for {@code none} and for an absent key. */
  public @Nullable Double numberOrNone(String key, Range range) {
    questions.ask(key, Kind.NUMBER_OR_NONE, NONE, range);
    Value value = find(key);
    return value == null || none(value)
        ? null
        : Double.valueOf(number(key, value, range, "none is meant, for no bound"));
  }

  public int whole(String key, int fallback, int least, int most) {
    return (int) whole(key, (long) fallback, least, most);
  }

  public long whole(String key, long fallback, long least, long most) {
    questions.ask(key, Kind.WHOLE, fallback, least, most);
    Value value = find(key);
    Long number = value == null ? null : whole(key, value, least, most);
    return number == null ? fallback : number;
  }

  /** A required whole number; the least if it is absent or wrong. */
  public int requiredWhole(String key, int least, int most, String example) {
    require(key, example);
    return whole(key, least, least, most);
  }

  /** A whole number; null for {@code none} and for an absent key. */
  public @Nullable Integer wholeOrNone(String key, int least, int most) {
    questions.ask(key, Kind.WHOLE_OR_NONE, NONE, least, most);
    Value value = find(key);
    return value == null || none(value) ? null : integer(key, value, least, most);
  }

  private static boolean none(Value value) {
    return written(value).equals(NONE);
  }

  /** A list of whole numbers. See {@link #list} for {@code repeats}. */
  public List<Integer> wholes(
      String key, List<Integer> fallback, int least, int most, boolean repeats) {
    questions.ask(key, Kind.WHOLES, fallback, least, most);
    return list(key, fallback, repeats, item -> integer(key, item, least, most));
  }

  private @Nullable Integer integer(String key, Value value, int least, int most) {
    Long number = whole(key, value, least, most);
    return number == null ? null : Math.toIntExact(number);
  }

  /** A list of numbers, which may be in it twice. */
  public List<Double> numbers(String key, List<Double> fallback, Range range) {
    questions.ask(key, Kind.NUMBERS, null, range);
    return list(
        key,
        fallback,
        true,
        item -> orNull(number(key, item, range, "its unit is wrong, or a digit is")));
  }

  public boolean flag(String key, boolean fallback) {
    questions.ask(key, Kind.FLAG, fallback);
    Value value = find(key);
    return value == null ? fallback : flag(key, value, fallback);
  }

  /** A text of at least one letter. */
  public String text(String key, String fallback) {
    questions.ask(key, Kind.TEXT, fallback);
    return textOr(key, fallback);
  }

  private String textOr(String key, String fallback) {
    Value value = find(key);
    String text = value == null ? null : text(key, value);
    return text == null ? fallback : text;
  }

  /**
   * A text of a form. A text of another form is a mistake, and returned all the same.
   *
   * @param rule what is wrong with a text of another form
   * @param maybe what to try, given that text
   */
  public String text(
      String key, String fallback, Pattern form, String rule, UnaryOperator<String> maybe) {
    questions.ask(key, Kind.TEXT, fallback, form);
    String text = textOr(key, fallback);
    if (!form.matcher(text).matches()) {
      problems.error(
          place(key), prefix + key + " (" + Written.of(text) + ") " + rule, maybe.apply(text));
    }
    return text;
  }

  /** A required text; empty only if it is absent or wrong, which has been noted. */
  public String requiredText(String key, String example) {
    require(key, example);
    return text(key, "");
  }

  /** A text; null if it is absent or wrong. */
  public @Nullable String textOrNull(String key) {
    questions.ask(key, Kind.TEXT, null);
    Value value = find(key);
    return value == null ? null : text(key, value);
  }

  /** The texts of a list, or of one text alone; none if the key is absent. */
  public List<String> texts(String key) {
    Value value = find(key);
    if (value == null) {
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    for (Value item : value instanceof Sequence list ? list.items() : List.of(value)) {
      String text = text(key, item);
      if (text != null) {
        texts.add(text);
      }
    }
    return texts;
  }

  public String oneOf(String key, String fallback, Collection<String> names, String plural) {
    questions.ask(key, Kind.NAME, fallback, names);
    Value value = find(key);
    String name = value == null ? null : knownName(key, value, names, plural);
    return name == null ? fallback : name;
  }

  /** A list of known names, none twice. */
  public List<String> namesOf(
      String key, List<String> fallback, Collection<String> names, String plural) {
    questions.ask(key, Kind.NAMES, fallback, names);
    return list(key, fallback, false, item -> knownName(key, item, names, plural));
  }

  /**
   * A list that is not empty.
   *
   * @param repeats whether an item may be in it twice
   * @param read reader of an item; null for an item that it complained of
   */
  public <T> List<T> list(
      String key, List<T> fallback, boolean repeats, Function<Value, @Nullable T> read) {
    questions.ask(key, Kind.LIST, null, repeats);
    Sequence sequence = sequence(key);
    if (sequence == null) {
      return fallback;
    }
    if (sequence.items().isEmpty()) {
      problems.error(
          sequence.place(),
          prefix + key + " ([]) is an empty list",
          "the line should be left out, for its default");
      return fallback;
    }
    List<T> items = new ArrayList<>();
    for (Value item : sequence.items()) {
      T element = read.apply(item);
      if (element != null && !repeats && items.contains(element)) {
        error(key, item, "stands in the list twice", "one of the two should be removed");
      } else if (element != null) {
        items.add(element);
      }
    }
    return items;
  }

  public @Nullable Sequence sequence(String key) {
    Value value = find(key);
    if (value == null || value instanceof Sequence) {
      return (Sequence) value;
    }
    error(key, value, "must be a list", "you meant [" + written(value) + "]");
    return null;
  }

  public @Nullable Mapping mapping(String key) {
    Value value = find(key);
    if (value == null || value instanceof Mapping) {
      return (Mapping) value;
    }
    error(
        key,
        value,
        "must be a mapping of keys to values",
        "its keys should stand below it, indented by two spaces");
    return null;
  }

  /** The section under a key of a strict section; empty if the key is absent or no mapping. */
  public Section section(String key) {
    return section(key, questions.mapping(key));
  }

  /** Reads the section under a key of a strict section, and complains of what was not asked for. */
  public <T> T read(String key, Function<Section, T> reader) {
    Section section = section(key);
    T read = reader.apply(section);
    section.end();
    return read;
  }

  /** The section under a key that the user has chosen. */
  public Section chosen(String key, Pattern names, Collection<String> reserved) {
    return section(key, questions.chosen(names, reserved));
  }

  private Section section(String key, Questions below) {
    Mapping child = mapping(key);
    Entry entry = mapping.entries().get(key);
    Mapping under =
        child == null || entry == null
            ? new Mapping(place(key), new LinkedHashMap<>())
            : new Mapping(entry.keyPlace(), child.entries());
    return new Section(prefix + key + ".", under, problems, places, below);
  }

  /** The section of a mapping in the list under a key of a strict section. */
  public Section item(String key, Mapping item) {
    return new Section(
        prefix + key + ".", item, problems, new LinkedHashMap<>(), questions.mapping(key));
  }

  /**
   * Complains of each key that was not asked for; a lenient section's as {@link #end(Collection)}.
   */
  public void end() {
    if (places == null) {
      end(known);
      return;
    }
    String plural =
        prefix.isEmpty() ? "keys" : "keys of " + prefix.substring(0, prefix.length() - 1);
    mapping
        .entries()
        .forEach(
            (key, entry) -> {
              if (!known.contains(key) && !(prefix.isEmpty() && key.startsWith(ANCHORS))) {
                unknown(key, entry, NearestName.advice(key, known, plural));
              }
            });
  }

  private void unknown(String key, Entry entry, String maybe) {
    problems.error(entry.keyPlace(), "the key " + prefix + Written.of(key) + " is unknown", maybe);
  }

  /**
   * Complains of each key that is nearly a known one. Other keys are left alone: lenient files come
   * from many tools, which add keys of their own.
   */
  public void end(Collection<String> knownKeys) {
    mapping
        .entries()
        .forEach(
            (key, entry) -> {
              if (!knownKeys.contains(key)) {
                NearestName.of(key, knownKeys)
                    .filter(nearest -> !has(nearest)) // unless that one is there too
                    .ifPresent(nearest -> unknown(key, entry, "you meant " + nearest));
              }
            });
  }

  /** A number within the range; NaN, and a mistake, for anything else. */
  private double number(String key, Value value, Range range, String maybe) {
    String written = written(value);
    boolean plain = value instanceof Scalar scalar && !scalar.quoted();
    boolean finite = plain && Numbers.DECIMAL.matcher(written).matches();
    if (!finite && !(plain && Numbers.NOT_FINITE.matcher(written).matches())) {
      String meant = plain ? Numbers.meant(written) : null;
      error(key, value, "must be a number", meant == null ? maybe : "you meant " + meant);
      return Double.NaN;
    }
    if (!finite && places == null) {
      error(key, value, "must be a finite number", "the program that wrote it divided by zero");
      return Double.NaN;
    }
    double number = finite ? Double.parseDouble(written) : Double.NaN;
    if (!range.contains(number)) {
      error(
          key,
          value,
          "must be " + range.words(),
          number < 0 && range.contains(-number) ? "you meant " + Numbers.text(-number) : maybe);
      return Double.NaN;
    }
    return number + 0.0; // no negative zero
  }

  /**
   * A whole number within the range, both ends included; null, and a mistake, for anything else.
   */
  private @Nullable Long whole(String key, Value value, long least, long most) {
    String written = written(value);
    boolean plain = value instanceof Scalar scalar && !scalar.quoted();
    if (plain && Numbers.WHOLE.matcher(written).matches()) {
      var whole = new BigInteger(written);
      if (whole.bitLength() < 64 && whole.longValue() >= least && whole.longValue() <= most) {
        return whole.longValue();
      }
      error(
          key,
          value,
          "must be at least " + least + " and at most " + most,
          "you meant " + nearest(whole, least, most));
    } else if (plain && Numbers.DECIMAL.matcher(written).matches()) {
      error(
          key,
          value,
          "must be a whole number",
          "you meant " + nearest(Double.parseDouble(written), least, most));
    } else {
      error(
          key,
          value,
          "must be a whole number",
          "you meant "
              + Objects.requireNonNullElse(
                  plain ? Numbers.meant(written) : null, "digits, without quotes"));
    }
    return null;
  }

  private static String nearest(double number, long least, long most) {
    return Numbers.text(Math.rint(Math.max((double) least, Math.min((double) most, number))));
  }

  /**
   * The number without its minus sign if that is in the range, else the nearer end of the range.
   */
  private static BigInteger nearest(BigInteger whole, long least, long most) {
    BigInteger low = BigInteger.valueOf(least);
    BigInteger high = BigInteger.valueOf(most);
    BigInteger positive = whole.abs();
    return positive.compareTo(low) >= 0 && positive.compareTo(high) <= 0
        ? positive
        : whole.max(low).min(high);
  }

  /** True or false, or one of their other names; the fallback, and a mistake, for anything else. */
  private boolean flag(String key, Value value, boolean fallback) {
    String written =
        value instanceof Scalar s && !s.quoted() ? s.text().toLowerCase(Locale.ROOT) : "";
    if (YES.contains(written)) {
      return true;
    }
    if (!NO.contains(written)) {
      error(
          key,
          value,
          "must be true or false",
          switch (written) {
            case "y", "t", "1" -> "you meant true";
            case "n", "f", "0" -> "you meant false";
            default -> "the line should be left out, for its default, " + fallback;
          });
      return fallback;
    }
    return false;
  }

  /**
   * A text of at least one letter; null, and a mistake, for null and anything else. No name and no
   * path is empty or has a NUL in it, so that each reader of one may rely on it.
   */
  private @Nullable String text(String key, Value value) {
    if (!(value instanceof Scalar scalar) || scalar.missing()) {
      error(key, value, "must be a text", "one name is meant");
      return null;
    }
    if (scalar.text().isBlank()) {
      problems.error(
          value.place(),
          prefix + key + " (\"" + written(value) + "\") is empty",
          "a text is missing between the quotes");
      return null;
    }
    if (scalar.text().chars().anyMatch(Section::isUnprintable)) {
      error(key, value, "holds a control character", "it was pasted from a file that is no text");
      return null;
    }
    if (scalar.text().codePoints().anyMatch(Section::isHalf)) {
      problems.error(
          value.place(),
          prefix + key + " holds half a letter, a surrogate without its other one",
          "an escape such as \\ud83d is meant to have a second one behind it");
      return null;
    }
    return scalar.text();
  }

  private static boolean isUnprintable(int letter) {
    return Character.isISOControl(letter) && "\t\n\r".indexOf(letter) < 0;
  }

  private static boolean isHalf(int letter) {
    return letter >= Character.MIN_SURROGATE && letter <= Character.MAX_SURROGATE;
  }

  /** A known name; null, and a mistake, for anything else. */
  private @Nullable String knownName(
      String key, Value value, Collection<String> known, String plural) {
    String text = text(key, value);
    if (text != null && !known.contains(text)) {
      error(key, value, "is unknown", NearestName.advice(text, known, plural));
      return null;
    }
    return text;
  }

  static String message(String name, Value value, String rule) {
    return name + " (" + written(value) + ") " + rule;
  }

  public static String written(Value value) {
    if (value instanceof Scalar scalar) {
      return scalar.missing() ? "nothing" : Written.of(scalar.text());
    }
    return value instanceof Sequence ? "a list" : "a mapping";
  }
}
