package dev.sluice.harness.twin.fold;

import java.util.Locale;

/** Numbers and times in sentences about faults. */
final class FaultWords {
  private FaultWords() {}

  /** A time of the run: {@code 1.5 s into the run}. */
  static String into(long sinceZeroMs) {
    return sinceZeroMs < 0
        ? seconds(-sinceZeroMs) + " before time zero"
        : seconds(sinceZeroMs) + " into the run";
  }

  /** A duration: {@code 1.5 s}. */
  static String seconds(long ms) {
    return String.format(Locale.ROOT, "%.1f s", ms / 1e3);
  }

  /** A number with its noun: {@code 2 batches}. */
  static String count(long count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }
}
