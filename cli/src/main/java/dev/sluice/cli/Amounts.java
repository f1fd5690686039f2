package dev.sluice.cli;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.UserMistakeException;
import java.util.OptionalLong;

/** Amounts on the command line. */
final class Amounts {
  private static final String PER_SECOND = "/s";

  private Amounts() {}

  /** Bytes of a size, at least 1. */
  static long bytes(String option, String text) throws UserMistakeException {
    OptionalLong bytes = ByteSize.parse(text);
    if (bytes.isEmpty() || bytes.getAsLong() < 1) {
      throw new UserMistakeException(
          option, "(" + text + ") is no size", "you meant " + ByteSize.FORM);
    }
    return bytes.getAsLong();
  }

  /** Bytes a second of a rate such as 700MB/s, at least 1. */
  static long bytesPerSecond(String option, String text) throws UserMistakeException {
    String size =
        text.endsWith(PER_SECOND) ? text.substring(0, text.length() - PER_SECOND.length()) : text;
    OptionalLong bytes = ByteSize.parse(size);
    if (bytes.isEmpty() || bytes.getAsLong() < 1) {
      throw new UserMistakeException(
          option, "(" + text + ") is no bandwidth", "you meant a form like 700MB/s or 1.4GB/s");
    }
    return bytes.getAsLong();
  }

  /** Checks that a number lies in its range. */
  static void range(String option, long value, long least, long most) throws UserMistakeException {
    if (value < least || value > most) {
      throw new UserMistakeException(
          option,
          "the value (%d) must be between %d and %d".formatted(value, least, most),
          "you meant " + Math.max(least, Math.min(most, value)));
    }
  }
}
