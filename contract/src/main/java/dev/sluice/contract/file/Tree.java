package dev.sluice.contract.file;

import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads a YAML or JSON file as values that know their places: as a whole, or piece by piece, so
 * that a file of millions of values need not fit into memory. Nothing is constructed from YAML's
 * tags.
 */
public final class Tree implements Closeable {
  /** YAML's key for a mapping whose keys this one has too. */
  private static final String MERGE = "<<";

  private final Tokens tokens;
  private final Limits limits;
  private final Map<String, Anchored> valueByAnchor = new HashMap<>();
  private long values;

  public enum Kind {
    MAPPING,
    LIST,
    SCALAR,
    /** YAML's repetition of a value that has an anchor. */
    ALIAS,
    END_OF_MAPPING,
    END_OF_LIST,
    END_OF_FILE
  }

  /**
   * Limits of a file.
   *
   * @param values most values, each repeated as often as an alias names it
   */
  public record Limits(int depth, long values) {
    /** Limits of a file that a person writes. */
    public static final Limits BY_HAND = new Limits(20, 10_000);

    /** Limits of a file that a program may have written. */
    public static final Limits BY_PROGRAM = new Limits(100, Long.MAX_VALUE);
  }

  /**
   * A value that aliases may repeat.
   *
   * @param values number of values in it, itself included
   */
  private record Anchored(Value value, long values) {}

  private Tree(Tokens tokens, Limits limits) {
    this.tokens = tokens;
    this.limits = limits;
  }

  /**
   * Opens a file: JSON if its name ends in {@code .json}, else YAML.
   *
   * @param neighbour what to try if the file does not exist
   */
  public static Tree open(Path file, String neighbour, Limits limits) throws UserMistakeException {
    return new Tree(Tokens.of(file, neighbour), limits);
  }

  /**
   * Opens a text of YAML.
   *
   * @param placeOfLine the place of a line of the text, counted from 1; of line 0 the whole text
   */
  public static Tree ofYaml(String text, IntFunction<Place> placeOfLine, Limits limits) {
    return new Tree(new Tokens.YamlTokens(new StringReader(text), placeOfLine), limits);
  }

  /** Opens a text of JSON in UTF-8. */
  public static Tree ofJson(byte[] text, IntFunction<Place> placeOfLine, Limits limits) {
    try {
      return new Tree(new Tokens.JsonTokens(new ByteArrayInputStream(text), placeOfLine), limits);
    } catch (IOException e) {
      throw new UncheckedIOException("bytes in memory cannot be read", e);
    }
  }

  /**
   * Reads the whole file as one value; null if it holds none.
   *
   * @param problems takes the keys that stand twice in a mapping
   */
  public @Nullable Value whole(Problems problems) throws UserMistakeException {
    Kind first = next();
    if (first == Kind.END_OF_FILE) {
      return null;
    }
    Value value = value(first, problems);
    if (next() != Kind.END_OF_FILE) {
      throw new UserMistakeException(
          place(), "a second value begins here", "the file was pasted together from two");
    }
    return value;
  }

  public Kind next() throws UserMistakeException {
    return tokens.next();
  }

  public Place place() {
    return tokens.place(tokens.line);
  }

  /**
   * Reads the value that begins with the present piece to its end.
   *
   * @param first the present piece: no end of anything
   */
  public Value value(Kind first, Problems problems) throws UserMistakeException {
    return value(first, problems, 0);
  }

  /**
   * Goes on to the next key of the mapping that is being read; null at its end.
   *
   * @param problems takes keys that are no names; they are passed over with their values
   */
  public @Nullable String nextKey(Problems problems) throws UserMistakeException {
    return nextKey(problems, 0);
  }

  private @Nullable String nextKey(Problems problems, int depth) throws UserMistakeException {
    Kind kind = tokens.next();
    while (kind != Kind.END_OF_MAPPING && (kind != Kind.SCALAR || tokens.text().isBlank())) {
      problems.error(
          place(),
          kind == Kind.SCALAR ? "a key is empty" : "a key must be a plain name",
          kind == Kind.SCALAR ? "a name is missing before the colon" : "a quote is missing");
      value(kind, problems, depth + 1);
      value(tokens.next(), problems, depth + 1);
      kind = tokens.next();
    }
    return kind == Kind.END_OF_MAPPING ? null : tokens.text();
  }

  private Value value(Kind first, Problems problems, int depth) throws UserMistakeException {
    Place place = place();
    long before = values++;
    if (depth > limits.depth()) {
      throw new UserMistakeException(
          place, "values are nested deeper than " + limits.depth(), "a bracket is missing above");
    }
    String anchor = tokens.anchor;
    Value value =
        switch (first) {
          case MAPPING -> mapping(place, problems, depth);
          case LIST -> sequence(place, problems, depth);
          case SCALAR -> new Scalar(place, tokens.text(), tokens.quoted, tokens.missing);
          case ALIAS -> repeated(place, tokens.text());
          case END_OF_FILE, END_OF_LIST, END_OF_MAPPING ->
              throw new IllegalStateException("no value begins with " + first);
        };
    if (values > limits.values()) {
      throw new UserMistakeException(
          place,
          "the file holds more than " + limits.values() + " values",
          "an alias (*) repeats more than it should");
    }
    if (anchor != null && first != Kind.ALIAS) {
      valueByAnchor.put(anchor, new Anchored(value, values - before));
    }
    return value;
  }

  private Value repeated(Place place, String anchor) throws UserMistakeException {
    Anchored anchored = valueByAnchor.get(anchor);
    if (anchored == null) {
      throw new UserMistakeException(
          place,
          "this is not YAML (the alias *" + Written.of(anchor) + " repeats nothing)",
          "the value that it repeats should stand above it, and begin with &" + Written.of(anchor));
    }
    values += anchored.values() - 1;
    return anchored.value();
  }

  private Sequence sequence(Place place, Problems problems, int depth) throws UserMistakeException {
    List<Value> items = new ArrayList<>(4);
    for (Kind kind = tokens.next(); kind != Kind.END_OF_LIST; kind = tokens.next()) {
      items.add(value(kind, problems, depth + 1));
    }
    return new Sequence(place, items);
  }

  private Mapping mapping(Place place, Problems problems, int depth) throws UserMistakeException {
    Map<String, Entry> entries = new LinkedHashMap<>();
    List<Mapping> merged = new ArrayList<>();
    for (String key = nextKey(problems, depth); key != null; key = nextKey(problems, depth)) {
      Place keyPlace = place();
      boolean merges = key.equals(MERGE) && !tokens.quoted;
      Value value = value(tokens.next(), problems, depth + 1);
      if (merges) {
        merge(value, merged, problems);
        continue;
      }
      Entry earlier = entries.putIfAbsent(key, new Entry(keyPlace, value));
      if (earlier != null) {
        problems.error(
            keyPlace,
            "the key " + Written.of(key) + " is here a second time, first at " + earlier.keyPlace(),
            "one of the two should be removed");
      }
    }
    for (Mapping other : merged) {
      other.entries().forEach(entries::putIfAbsent);
    }
    return new Mapping(place, entries);
  }

  /** Takes the mappings whose keys a mapping has too where it does not name them itself. */
  private static void merge(Value value, List<Mapping> merged, Problems problems) {
    for (Value one : value instanceof Sequence list ? list.items() : List.of(value)) {
      if (one instanceof Mapping mapping) {
        merged.add(mapping);
      } else {
        problems.error(
            one.place(),
            Section.message(MERGE, one, "must be a mapping, or a list of mappings"),
            "an alias of a mapping is meant, such as <<: *name");
      }
    }
  }

  @Override
  public void close() {
    try {
      tokens.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a file that was read cannot be closed", e);
    }
  }
}
