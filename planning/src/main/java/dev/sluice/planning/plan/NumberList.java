package dev.sluice.planning.plan;

import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import java.util.ArrayList;
import java.util.List;

/** Lists of a number for each layer, each finite and at least 0. */
final class NumberList {
  /** The largest time, memory or bandwidth that makes sense. */
  static final double MOST = 1e12;

  /** Most values that cross a cut: as bytes of all cuts of a batch they still fit into a long. */
  static final long VALUES_MAX = 10_000_000_000L;

  private final Section section;
  private final Problems problems;

  NumberList(Section section, Problems problems) {
    this.section = section;
    this.problems = problems;
  }

  /**
   * The list under a key, of whole numbers if asked for; as far as it could be read, and with 0 for
   * what is no number.
   */
  List<Double> read(String key, boolean whole) {
    Sequence sequence = section.sequence(key);
    if (sequence == null) {
      if (section.find(key) == null) {
        problems.error(
            section.place(key),
            section.name(key) + " is missing",
            "a list with a number for each layer should be added");
      }
      return List.of();
    }
    List<Double> numbers = new ArrayList<>(sequence.items().size());
    for (Value item : sequence.items()) {
      numbers.add(number(key, numbers.size() + 1, item, whole));
    }
    return numbers;
  }

  private double number(String key, int place, Value item, boolean whole) {
    String name = "%s, value %d (%s)".formatted(section.name(key), place, Section.written(item));
    String written = item instanceof Scalar scalar && !scalar.quoted() ? scalar.text() : "";
    if (!Numbers.DECIMAL.matcher(written).matches()) {
      problems.error(
          item.place(),
          name + " must be a finite number",
          item instanceof Scalar scalar && scalar.missing()
              ? "a number is missing between two commas"
              : "its measurement failed and should be made again");
      return 0;
    }
    double number = Double.parseDouble(written);
    double most = whole ? VALUES_MAX : MOST;
    if (number < 0 || number > most || (whole && number != Math.rint(number))) {
      problems.error(
          item.place(),
          name
              + (whole ? " must be a whole number of at least 0" : " must be at least 0")
              + " and at most "
              + Numbers.text(most),
          number < 0 ? "you meant " + Numbers.text(-number) : "its unit is wrong, or a digit is");
      return 0;
    }
    return number + 0.0; // no negative zero
  }

  /** Notes a mistake if a list does not have a number for each layer. */
  void checkLength(String key, int length, int layers) {
    if (length != layers && section.find(key) instanceof Sequence list) {
      Place place = list.place();
      problems.error(
          place,
          "%s has (%d) values for (%d) layers".formatted(section.name(key), length, layers),
          length < layers
              ? "values are missing (" + (layers - length) + "), or layers is wrong"
              : "there are values too many (" + (length - layers) + "), or layers is wrong");
    }
  }
}
