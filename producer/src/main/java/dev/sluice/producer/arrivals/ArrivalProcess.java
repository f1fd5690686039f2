package dev.sluice.producer.arrivals;

/**
 * A process of arrivals at one rate: it draws the gaps between the intended arrivals of jobs, for
 * one list.
 */
@FunctionalInterface
public interface ArrivalProcess {
  /**
   * Returns the gap to the next arrival in nanoseconds with their fraction; on average one second /
   * rate. It is finite and positive, or 0 where the true gap is below the smallest double. It
   * depends on the numbers drawn so far alone.
   */
  double nextGapNs(RandomStream random);
}
