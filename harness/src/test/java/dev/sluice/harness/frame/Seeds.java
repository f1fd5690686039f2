package dev.sluice.harness.frame;

import java.util.stream.LongStream;

/**
 * Seeds of random inputs: as many as {@code -Dsluice.tries} says ({@code few}, {@code full}, or a
 * number), from {@code -Dsluice.fuzz.seed} on, which is 1 unless it is given.
 */
public final class Seeds {
  private Seeds() {}

  /**
   * Returns the seeds to try, each one above the one before.
   *
   * @param few how many by default
   * @param full how many {@code -Dsluice.tries=full} asks for
   */
  public static long[] of(int few, int full) {
    String tries = System.getProperty("sluice.tries", "few");
    long count = tries.matches("\\d+") ? Long.parseLong(tries) : tries.equals("full") ? full : few;
    return LongStream.iterate(Long.getLong("sluice.fuzz.seed", 1), seed -> seed + 1)
        .limit(count)
        .toArray();
  }
}
