package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.InvalidExperimentException.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The mistakes found so far; those that stand in the file come first, by line. */
final class Problems {
  private record Placed(Place place, Problem problem) {}

  private final List<Placed> errors = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  void error(Place place, String what, @Nullable String maybe) {
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

  void throwIfAny() throws InvalidExperimentException {
    if (!errors.isEmpty()) {
      throw new InvalidExperimentException(
          errors.stream()
              .sorted(Comparator.comparing(Placed::place))
              .map(Placed::problem)
              .toList());
    }
  }
}
