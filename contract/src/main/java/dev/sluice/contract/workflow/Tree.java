package dev.sluice.contract.workflow;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Tokens.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts the pieces of a file together, to values that know their lines. */
final class Tree {
  private static final int DEPTH_MAX = 100;

  private final Tokens tokens;
  private final Map<String, Value> valueByAnchor = new HashMap<>();

  /** A value of the file. */
  sealed interface Value permits Scalar, Items, Mapping {
    int line();
  }

  /**
   * A text as it is written.
   *
   * @param quoted whether it can only be a text, not a number
   * @param missing whether it stands for nothing
   */
  record Scalar(int line, String text, boolean quoted, boolean missing) implements Value {}

  /** A list. */
  record Items(int line, List<Value> values) implements Value {}

  /** Its entries by key, in the order of the file. */
  record Mapping(int line, Map<String, Entry> entries) implements Value {}

  /**
   * A value under a key.
   *
   * @param line of the key
   */
  record Entry(int line, Value value) {}

  Tree(Tokens tokens) {
    this.tokens = tokens;
  }

  /**
   * The value that begins with a piece, read to its end.
   *
   * @param first the present piece: no end of anything
   * @param faults takes the keys that stand twice
   */
  Value value(Kind first, Faults faults) throws UserMistakeException {
    return value(first, faults, 0);
  }

  private Value value(Kind first, Faults faults, int depth) throws UserMistakeException {
    int line = tokens.line();
    if (depth > DEPTH_MAX) {
      throw faults.fatal(
          line, "values are nested deeper than " + DEPTH_MAX, "a bracket is missing above");
    }
    String anchor = tokens.anchor();
    Value value =
        switch (first) {
          case MAPPING -> mapping(line, faults, depth);
          case LIST -> items(line, faults, depth);
          case SCALAR -> new Scalar(line, tokens.text(), tokens.isQuoted(), tokens.isMissing());
          case ALIAS -> repeated(line, tokens.text(), faults);
          case END_OF_FILE, END_OF_LIST, END_OF_MAPPING ->
              throw new IllegalStateException("no value begins with " + first);
        };
    if (anchor != null && first != Kind.ALIAS) {
      valueByAnchor.put(anchor, value);
    }
    return value;
  }

  private Value repeated(int line, String anchor, Faults faults) throws UserMistakeException {
    Value value = valueByAnchor.get(anchor);
    if (value == null) {
      throw faults.fatal(
          line, "the anchor (" + anchor + ") is unknown", "it is to be named, by &, above");
    }
    return value;
  }

  private Items items(int line, Faults faults, int depth) throws UserMistakeException {
    List<Value> values = new ArrayList<>(4);
    for (Kind kind = tokens.next(); kind != Kind.END_OF_LIST; kind = tokens.next()) {
      values.add(value(kind, faults, depth + 1));
    }
    return new Items(line, values);
  }

  private Mapping mapping(int line, Faults faults, int depth) throws UserMistakeException {
    Map<String, Entry> entries = new LinkedHashMap<>();
    for (String key = nextKey(faults); key != null; key = nextKey(faults)) {
      int keyLine = tokens.line();
      Value value = value(tokens.next(), faults, depth + 1);
      Entry earlier = entries.putIfAbsent(key, new Entry(keyLine, value));
      if (earlier != null) {
        faults.add(
            keyLine,
            "the key %s stands here a second time, first on line %d".formatted(key, earlier.line()),
            "one of the two is to be removed");
      }
    }
    return new Mapping(line, entries);
  }

  /** The next key of the mapping in which the pieces are; null: it has ended. */
  @Nullable String nextKey(Faults faults) throws UserMistakeException {
    Kind kind = tokens.next();
    if (kind == Kind.END_OF_MAPPING) {
      return null;
    }
    if (kind != Kind.SCALAR) {
      throw faults.fatal(tokens.line(), "a key must be a plain name", "a quote is missing");
    }
    return tokens.text();
  }
}
