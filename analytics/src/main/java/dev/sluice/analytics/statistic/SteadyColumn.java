package dev.sluice.analytics.statistic;

/**
 * A number of 64 bits for each row, of which most are the one that was set first: these take no
 * room. A row that was never set has that number too. Not safe for threads while it is written.
 */
public final class SteadyColumn {
  private final LongColumn awayFromFirst;
  private boolean hasFirst;
  private long first;

  /** An empty column, of which rows are 0 until one is set. */
  public SteadyColumn(Space space) {
    awayFromFirst = new LongColumn(space, 0);
  }

  /** The number of a row. */
  public long get(int row) {
    return first + awayFromFirst.get(row);
  }

  /** Sets the number of a row. */
  public void set(int row, long value) {
    if (!hasFirst) {
      hasFirst = true;
      first = value;
    }
    awayFromFirst.set(row, value - first);
  }
}
