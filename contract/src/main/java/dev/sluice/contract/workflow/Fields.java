package dev.sluice.contract.workflow;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.workflow.Tree.Entry;
import dev.sluice.contract.workflow.Tree.Items;
import dev.sluice.contract.workflow.Tree.Mapping;
import dev.sluice.contract.workflow.Tree.Scalar;
import dev.sluice.contract.workflow.Tree.Value;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the file, read key by key. A mistake is noted with its line, and answered so that
 * reading goes on.
 */
final class Fields {
  private static final Pattern WHOLE = Pattern.compile("[-+]?\\d{1,9}");
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?");
  private static final Pattern NOT_FINITE =
      Pattern.compile("[-+]?\\.?(nan|inf|infinity)", Pattern.CASE_INSENSITIVE);
  private static final int WRITTEN_MAX = 60;

  private final String prefix;
  private final Mapping mapping;
  private final Faults faults;

  /**
   * @param prefix what stands before its keys in messages, for example {@code models.llm7b.}
   */
  Fields(String prefix, Mapping mapping, Faults faults) {
    this.prefix = prefix;
    this.mapping = mapping;
    this.faults = faults;
  }

  /** The key as messages name it. */
  String name(String key) {
    return prefix + key;
  }

  /** The line of the key's value; the mapping's own if the key is absent. */
  int line(String key) {
    Entry entry = mapping.entries().get(key);
    return entry == null ? mapping.line() : entry.value().line();
  }

  /** Null: it is absent, or stands for nothing. */
  @Nullable Value find(String key) {
    Entry entry = mapping.entries().get(key);
    return entry == null || (entry.value() instanceof Scalar scalar && scalar.missing())
        ? null
        : entry.value();
  }

  private @Nullable Value required(String key, String example) {
    Value value = find(key);
    if (value == null) {
      faults.add(
          line(key),
          prefix + key + " is missing",
          "a line is to be added: " + key + ": " + example);
    }
    return value;
  }

  /** A text that must be there; empty if it is not. */
  String text(String key, String example) {
    Value value = required(key, example);
    return value == null ? "" : textOf(key, value);
  }

  String textOr(String key, String fallback) {
    Value value = find(key);
    return value == null ? fallback : textOf(key, value);
  }

  private String textOf(String key, Value value) {
    if (value instanceof Scalar scalar && !scalar.missing()) {
      return scalar.text();
    }
    wrong(key, value, "must be a text", "it is to be one name");
    return "";
  }

  /** The texts of a list, or of one text alone; none if the key is absent. */
  List<String> texts(String key) {
    Value value = find(key);
    if (value == null) {
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    for (Value item : value instanceof Items items ? items.values() : List.of(value)) {
      texts.add(textOf(key, item));
    }
    return texts;
  }

  /** A number that must be there; NaN if it is not. */
  double number(String key, double least, double most, String example) {
    Value value = required(key, example);
    return value == null ? Double.NaN : numberOf(key, value, least, most);
  }

  /** A number; null if it is absent or wrong. */
  @Nullable Double numberOrNull(String key, double least, double most) {
    Value value = find(key);
    double number = value == null ? Double.NaN : numberOf(key, value, least, most);
    return Double.isNaN(number) ? null : Double.valueOf(number);
  }

  /** NaN, and a fault, if it is none between these. */
  double numberOf(String key, Value value, double least, double most) {
    String written = written(value);
    boolean plain = value instanceof Scalar scalar && !scalar.quoted();
    if (!plain || !DECIMAL.matcher(written).matches()) {
      if (plain && NOT_FINITE.matcher(written).matches()) {
        wrong(key, value, "must be a finite number", "it was divided by zero where it was made");
      } else {
        wrong(
            key,
            value,
            "must be a number",
            "it is to be written in digits, without quotes or unit");
      }
      return Double.NaN;
    }
    double number = Double.parseDouble(written);
    if (number < least || number > most) {
      wrong(
          key,
          value,
          "must be at least " + inDigits(least) + " and at most " + inDigits(most),
          number < 0 && -number >= least && -number <= most
              ? "you meant " + written.substring(1)
              : "its unit is another one, or a digit is wrong");
      return Double.NaN;
    }
    return number + 0.0; // no negative zero
  }

  /** A whole number that must be there; the least if it is not. */
  int whole(String key, int least, int most, String example) {
    Value value = required(key, example);
    if (value == null) {
      return least;
    }
    String written = written(value);
    if (!(value instanceof Scalar scalar)
        || scalar.quoted()
        || !WHOLE.matcher(written).matches()
        || Integer.parseInt(written) < least
        || Integer.parseInt(written) > most) {
      wrong(
          key,
          value,
          "must be a whole number, at least " + least + " and at most " + most,
          "you meant " + example);
      return least;
    }
    return Integer.parseInt(written);
  }

  /** The mapping under a key; null: there is none. */
  @Nullable Mapping mapping(String key) {
    Value value = find(key);
    if (value == null || value instanceof Mapping) {
      return (Mapping) value;
    }
    wrong(
        key,
        value,
        "must be a mapping of names to values",
        "its entries are to stand below it, indented by two spaces");
    return null;
  }

  /** The list under a key; null: there is none. */
  @Nullable Items items(String key) {
    Value value = find(key);
    if (value == null || value instanceof Items) {
      return (Items) value;
    }
    wrong(key, value, "must be a list", "each of its entries is to begin with a dash");
    return null;
  }

  /**
   * Complains of each key that is nearly a known one. Others are let be: such files come from many
   * tools, which note what they like in them.
   */
  void end(Collection<String> known) {
    mapping
        .entries()
        .forEach(
            (key, entry) -> {
              if (!known.contains(key)) {
                NearestName.of(key, known)
                    .filter(nearest -> !mapping.entries().containsKey(nearest))
                    .ifPresent(
                        nearest ->
                            faults.add(
                                entry.line(),
                                "the key " + prefix + key + " is unknown",
                                "you meant " + nearest));
              }
            });
  }

  private void wrong(String key, Value value, String rule, String maybe) {
    faults.add(value.line(), prefix + key + " (" + written(value) + ") " + rule, maybe);
  }

  /** A value for a message. */
  static String written(Value value) {
    if (value instanceof Scalar scalar) {
      String text = scalar.missing() ? "nothing" : scalar.text();
      return text.length() <= WRITTEN_MAX ? text : text.substring(0, WRITTEN_MAX) + "…";
    }
    return value instanceof Items ? "a list" : "a mapping";
  }

  private static String inDigits(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
