package dev.sluice.producer.arrivals;

/**
 * A process of arrivals at one rate: it draws the gap between the intended arrivals of two jobs.
 */
@FunctionalInterface
interface ArrivalProcess {
  /**
   * Returns the gap to the next arrival in nanoseconds with their fraction, positive and finite; on
   * average one second / rate. The gap depends on the drawn numbers alone.
   */
  double nextGapNs(RandomStream random);
}
