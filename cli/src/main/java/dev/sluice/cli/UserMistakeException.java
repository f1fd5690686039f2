package dev.sluice.cli;

/** What a user got wrong outside the experiment file: printed in two lines, exit 2. */
final class UserMistakeException extends Exception {
  /**
   * @param location the option, file or folder to blame
   * @param what what is wrong, values in (brackets), without a full stop
   * @param maybe what to try, without the word
   */
  UserMistakeException(String location, String what, String maybe) {
    super(location + ": error: " + what + ".\n  Maybe " + maybe + ".");
  }
}
