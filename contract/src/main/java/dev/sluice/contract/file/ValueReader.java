package dev.sluice.contract.file;

import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns values of a file into numbers, texts and names; notes a mistake where it cannot. */
final class ValueReader {
  private static final List<String> YES = List.of("true", "yes", "on");
  private static final List<String> NO = List.of("false", "no", "off");

  private final Problems problems;
  private final boolean byProgram;

  /**
   * @param byProgram whether programs write such a file: programs divide by zero, people do not
   */
  ValueReader(Problems problems, boolean byProgram) {
    this.problems = problems;
    this.byProgram = byProgram;
  }

  /**
   * A number within the range; NaN, and a mistake, for anything else.
   *
   * @param name of the value, in messages
   * @param maybe advice
   */
  double number(String name, Value value, Range range, String maybe) {
    String written = written(value);
    boolean plain = value instanceof Scalar scalar && !scalar.quoted();
    boolean finite = plain && Numbers.DECIMAL.matcher(written).matches();
    if (!finite && !(plain && Numbers.NOT_FINITE.matcher(written).matches())) {
      String meant = plain ? Numbers.meant(written) : null;
      problems.error(
          value.place(),
          message(name, value, "must be a number"),
          meant == null ? maybe : "you meant " + meant);
      return Double.NaN;
    }
    if (!finite && byProgram) {
      problems.error(
          value.place(),
          message(name, value, "must be a finite number"),
          "the program that wrote it divided by zero");
      return Double.NaN;
    }
    double number = finite ? Double.parseDouble(written) : Double.NaN;
    if (!range.contains(number)) {
      problems.error(
          value.place(),
          message(name, value, "must be " + range.words()),
          number < 0 && range.contains(-number) ? "you meant " + Numbers.text(-number) : maybe);
      return Double.NaN;
    }
    return number + 0.0; // no negative zero
  }

  /**
   * A whole number within the range, both ends included; null, and a mistake, for anything else.
   */
  @Nullable Long whole(String name, Value value, long least, long most) {
    String written = written(value);
    boolean plain = value instanceof Scalar scalar && !scalar.quoted();
    if (plain && Numbers.WHOLE.matcher(written).matches()) {
      var whole = new BigInteger(written);
      if (whole.bitLength() < 64 && whole.longValue() >= least && whole.longValue() <= most) {
        return whole.longValue();
      }
      problems.error(
          value.place(),
          message(name, value, "must be at least " + least + " and at most " + most),
          "you meant " + nearest(whole, least, most));
    } else if (plain && Numbers.DECIMAL.matcher(written).matches()) {
      problems.error(
          value.place(),
          message(name, value, "must be a whole number"),
          "you meant " + nearest(Double.parseDouble(written), least, most));
    } else {
      problems.error(
          value.place(),
          message(name, value, "must be a whole number"),
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
  boolean flag(String name, Value value, boolean fallback) {
    String written =
        value instanceof Scalar s && !s.quoted() ? s.text().toLowerCase(Locale.ROOT) : "";
    if (YES.contains(written)) {
      return true;
    }
    if (!NO.contains(written)) {
      problems.error(
          value.place(),
          message(name, value, "must be true or false"),
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
  @Nullable String text(String name, Value value) {
    if (!(value instanceof Scalar scalar) || scalar.missing()) {
      problems.error(value.place(), message(name, value, "must be a text"), "one name is meant");
      return null;
    }
    if (scalar.text().isBlank()) {
      problems.error(
          value.place(),
          name + " (\"" + written(value) + "\") is empty",
          "a text is missing between the quotes");
      return null;
    }
    if (holdsUnprintable(scalar.text())) {
      problems.error(
          value.place(),
          message(name, value, "holds a control character"),
          "it was pasted from a file that is no text");
      return null;
    }
    if (holdsHalf(scalar.text())) {
      problems.error(
          value.place(),
          name + " holds half a letter, a surrogate without its other one",
          "an escape such as \\ud83d is meant to have a second one behind it");
      return null;
    }
    return scalar.text();
  }

  private static boolean holdsHalf(String text) {
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (Character.isSurrogate(letter)) {
        if (i + 1 == text.length() || !Character.isSurrogatePair(letter, text.charAt(i + 1))) {
          return true;
        }
        i++;
      }
    }
    return false;
  }

  private static boolean holdsUnprintable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (Character.isISOControl(letter) && letter != '\t' && letter != '\n' && letter != '\r') {
        return true;
      }
    }
    return false;
  }

  /**
   * A known name; null, and a mistake, for anything else.
   *
   * @param plural what the names name, in the plural
   */
  @Nullable String knownName(String name, Value value, Collection<String> known, String plural) {
    String text = text(name, value);
    if (text != null && !known.contains(text)) {
      problems.error(
          value.place(),
          message(name, value, "is unknown"),
          NearestName.advice(text, known, plural));
      return null;
    }
    return text;
  }

  /** A message that a value breaks a rule. */
  static String message(String name, Value value, String rule) {
    return name + " (" + written(value) + ") " + rule;
  }

  /** A value in a message. */
  static String written(Value value) {
    if (value instanceof Scalar scalar) {
      return scalar.missing() ? "nothing" : Written.of(scalar.text());
    }
    return value instanceof Sequence ? "a list" : "a mapping";
  }
}
