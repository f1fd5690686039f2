package dev.sluice.contract.experiment;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A user's mistakes in a file, all that were found. Each is printed as {@code file:line: error:
 * what (value).} and, on a line of its own, what to try.
 */
public final class InvalidExperimentException extends Exception {
  private final List<Problem> problems;

  /** One mistake; see {@link Problem}. */
  public InvalidExperimentException(String location, String what, @Nullable String maybe) {
    this(List.of(new Problem(location, what, maybe)));
  }

  /**
   * @param problems at least one, in the order in which they are to be read
   */
  public InvalidExperimentException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    if (problems.isEmpty()) {
      throw new IllegalArgumentException("an invalid experiment has a problem");
    }
    this.problems = List.copyOf(problems);
  }

  public List<Problem> problems() {
    return problems;
  }

  /**
   * One mistake.
   *
   * @param location {@code file:line}, or the file alone where no line is to blame, or {@code --set
   *     key=value}
   * @param what what is wrong, values in (brackets), without a full stop
   * @param maybe what to try, without the word and the full stop; null: nothing comes to mind
   */
  public record Problem(String location, String what, @Nullable String maybe) {
    @Override
    public String toString() {
      return location
          + ": error: "
          + what
          + "."
          + (maybe == null ? "" : "\n  Maybe " + maybe + ".");
    }
  }
}
