package dev.sluice.contract.file;

import dev.sluice.contract.file.UserMistakeException.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The mistakes found so far; those that stand in the file come first, by line. */
public final class Problems {
  private record Placed(Place place, Problem problem) {}

  private final List<Placed> errors = new ArrayList<>();
  public final List<String> warnings = new ArrayList<>();

  public void error(Place place, String what, String maybe) {
    errors.add(new Placed(place, new Problem(place.toString(), what, maybe)));
  }

  public void warn(Place place, String what) {
    warnings.add(place + ": warning: " + what + ".");
  }

  public boolean isEmpty() {
    return errors.isEmpty();
  }

  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  public void throwIfAny() throws UserMistakeException {
    if (!errors.isEmpty()) {
      throw new UserMistakeException(
          errors.stream()
              .sorted(Comparator.comparing(Placed::place))
              .map(Placed::problem)
              .toList());
    }
  }
}
