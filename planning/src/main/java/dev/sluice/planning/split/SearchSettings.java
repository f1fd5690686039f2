package dev.sluice.planning.split;

import java.util.function.BooleanSupplier;

/**
 * What a search looks for, and when it ends.
 *
 * @param hostsMax the most hosts that a plan may use, at least 1
 * @param statesMax the most count vectors that are searched exactly
 * @param outOfTime asked often, by one thread; once true, the search ends with the best plan that
 *     it found, and with a bound
 */
public record SearchSettings(
    Objective objective, int hostsMax, int statesMax, BooleanSupplier outOfTime) {
  /** The most count vectors that are searched exactly, unless settings say otherwise. */
  public static final int STATES_MAX = 1_000_000;

  /**
   * @throws IllegalArgumentException if a number is less than 1
   */
  public SearchSettings {
    if (hostsMax < 1 || statesMax < 1) {
      throw new IllegalArgumentException(
          "hostsMax (%d), statesMax (%d)".formatted(hostsMax, statesMax));
    }
  }

  /** Returns the settings of a search over all hosts, without a limit of time. */
  public static SearchSettings of(Objective objective) {
    return new SearchSettings(objective, Integer.MAX_VALUE, STATES_MAX, () -> false);
  }

  SearchSettings withoutLimit() {
    return new SearchSettings(objective, hostsMax, statesMax, () -> false);
  }

  /** Throws an OutOfTimeException if time is up. */
  void checkTime() {
    if (outOfTime.getAsBoolean()) {
      throw new OutOfTimeException();
    }
  }

  /** Ends a search within a limit of time. */
  static final class OutOfTimeException extends RuntimeException {
    OutOfTimeException() {
      super("out of time", null, false, false);
    }
  }

  public enum Objective {
    /** The bottleneck: the largest compute or transfer time of all stages. */
    THROUGHPUT,
    /** The latency: the sum of all compute and transfer times. */
    LATENCY
  }
}
