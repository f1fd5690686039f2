package dev.sluice.contract.file;

import java.util.Collection;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Receives what a reader asks a strict {@link Section}: each question declares a key with its kind,
 * range, names and default, from which a schema of the file can be made. Rules between two keys are
 * no questions: a reader checks them by itself.
 */
public interface Questions {
  /** Receives the questions of a reader whose schema nobody makes. */
  Questions UNNOTED = new Questions() {};

  /** The kinds of values, each with what else a question says of it. */
  enum Kind {
    ANY,
    /** A {@link Range}. */
    NUMBER,
    NUMBER_OR_NONE,
    /** Each number's {@link Range}. */
    NUMBERS,
    /** The least and the most, as longs or integers. */
    WHOLE,
    WHOLE_OR_NONE,
    WHOLES,
    FLAG,
    /** A {@link Pattern} of the whole text, or nothing. */
    TEXT,
    /** A collection of the names. */
    NAME,
    NAMES,
    /** Whether an item may be in the list twice. */
    LIST
  }

  /**
   * Declares a key.
   *
   * @param fallback default; null, an empty text, an empty list and NaN: there is none
   */
  default void ask(String key, Kind kind, @Nullable Object fallback, Object... more) {}

  default void require(String key) {}

  /** Receives the questions to the mapping under a key, or to the mappings in the list under it. */
  default Questions mapping(String key) {
    return this;
  }

  /** Receives the questions to the mapping under each key that the user chooses. */
  default Questions chosen(Pattern names, Collection<String> reserved) {
    return this;
  }
}
