package dev.sluice.contract.experiment;

import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.UserMistakeException.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The mistakes found so far; those that stand in the file come first, by line. */
final class Problems {
  private record Placed(Place place, Problem problem) {}

  private final List<Placed> errors = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  void error(Place place, String what, String maybe) {
    errors.add(new Placed(place, new Problem(place.toString(), what, maybe)));
  }

  void warn(Place place, String what) {
    warnings.add(place + ": warning: " + what + ".");
  }

  boolean isEmpty() {
    return errors.isEmpty();
  }

  List<String> warnings() {
    return List.copyOf(warnings);
  }

  void throwIfAny() throws UserMistakeException {
    if (!errors.isEmpty()) {
      throw new UserMistakeException(
          errors.stream()
              .sorted(Comparator.comparing(Placed::place))
              .map(Placed::problem)
              .toList());
    }
  }
}
