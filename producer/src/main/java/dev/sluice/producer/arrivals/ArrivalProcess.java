package dev.sluice.producer.arrivals;

/** Says how long after one job the next is meant to arrive. Made for one rate. */
@FunctionalInterface
interface ArrivalProcess {
  /**
   * The gap to the next arrival: nanoseconds with their fraction, positive and finite; on average
   * one second / rate. It depends on nothing but the numbers it draws.
   */
  double nextGapNs(RandomStream random);
}
