package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.Space;
import dev.sluice.analytics.statistic.SteadyColumn;

/**
 * Times at which the broker appended what each row tells of, by its clock, kept as distances from
 * the times that the rows themselves state. In a simulation without hops these are all equal, and
 * take no room. Not safe for threads while it is written.
 */
final class AppendTimes {
  private static final long NS_PER_MS = 1_000_000;

  private final SteadyColumn awayMs;

  AppendTimes(Space space) {
    awayMs = new SteadyColumn(space);
  }

  /**
   * Takes a row's time.
   *
   * @param statedNs time that the row states, of which {@link #epochMs} is told the same
   */
  void set(int row, long statedNs, long epochMs) {
    awayMs.set(row, epochMs - statedNs / NS_PER_MS);
  }

  long epochMs(int row, long statedNs) {
    return awayMs.get(row) + statedNs / NS_PER_MS;
  }
}
