package dev.sluice.producer.arrivals;

import dev.sluice.contract.experiment.LoadShape;

/**
 * The inverse of the integrated rate. Arrivals of a process at an even rate, taken through it, have
 * the rate of a {@link LoadShape} and keep the process's own burstiness: the time-rescaling theorem
 * the other way round (Çınlar, Introduction to Stochastic Processes, 1975, 4.7). So one drawn list
 * serves all shapes. May keep its last answer: used once, by one thread.
 */
@FunctionalInterface
public interface RescaledTime {
  /** Time that is not rescaled. */
  RescaledTime EVEN = evenNs -> evenNs;

  /** Answer for a time after which nothing arrives. */
  long NEVER_NS = Long.MAX_VALUE;

  /**
   * Returns the time at which the integral of the shape's factor reaches a value; {@link #NEVER_NS}
   * if it never does.
   *
   * @param evenNs value of the integral, in nanoseconds at the mean rate; not below that of the
   *     call before
   */
  long atNs(long evenNs);

  /**
   * Returns the rescaled time of a shape that needs no file.
   *
   * @throws IllegalArgumentException if the shape stands in a file; {@link RateFile} reads it
   */
  static RescaledTime of(LoadShape shape) {
    if (shape instanceof LoadShape.Even) {
      return EVEN;
    }
    if (shape instanceof LoadShape.Diurnal diurnal) {
      return new DiurnalTime(diurnal);
    }
    if (shape instanceof LoadShape.Steps steps) {
      return SegmentedTime.of(steps);
    }
    throw new IllegalArgumentException("load (" + shape.name() + ") stands in a file");
  }
}
