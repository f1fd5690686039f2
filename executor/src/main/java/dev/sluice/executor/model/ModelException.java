package dev.sluice.executor.model;

import org.jspecify.annotations.Nullable;

/**
 * A model cannot be had for a reason that the user can mend: a file is missing, damaged or of
 * another shape, or the cache cannot be written. The message is for the user, in two lines: {@code
 * location: error: what.} and {@code Maybe ….} Bugs are unchecked exceptions instead.
 */
public final class ModelException extends Exception {
  /**
   * A mistake of the user in two lines.
   *
   * @param location the file or folder to blame
   * @param what what is wrong, values in (brackets), without a full stop
   * @param maybe what to try, without the word and without a full stop
   * @param cause for the log; null: none
   */
  ModelException(String location, String what, String maybe, @Nullable Throwable cause) {
    super(location + ": error: " + what + ".\n  Maybe " + maybe + ".", cause);
  }
}
