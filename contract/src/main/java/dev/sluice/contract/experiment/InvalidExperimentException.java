package dev.sluice.contract.experiment;

import org.jspecify.annotations.Nullable;

/**
 * A user's mistake in a file: {@code file:line: error: what (value)} and, on a line of its own,
 * what to try.
 */
public final class InvalidExperimentException extends Exception {
  private final String location;
  private final String what;
  private final @Nullable String maybe;

  /**
   * @param location {@code file:line}, or the file alone where no line is to blame
   * @param what what is wrong, values in (brackets), without a full stop
   * @param maybe what to try, without the word; null: nothing comes to mind
   */
  public InvalidExperimentException(String location, String what, @Nullable String maybe) {
    super(location + ": error: " + what + "." + (maybe == null ? "" : "\n  Maybe " + maybe + "."));
    this.location = location;
    this.what = what;
    this.maybe = maybe;
  }

  public String location() {
    return location;
  }

  public String what() {
    return what;
  }

  public @Nullable String maybe() {
    return maybe;
  }
}
