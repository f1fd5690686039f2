/**
 * Arrival processes, which draw the gaps between the intended arrivals of jobs, and the inverse of
 * the integrated rate, which bends their time to a shape of the load.
 *
 * <p>Units: a gap is a {@code double} of nanoseconds, since a rate seldom divides a second; an
 * intended time is a {@code long} of nanoseconds since time zero of the run. Deliberately absent:
 * clocks, and chance other than from the run's seed.
 */
@NullMarked
package dev.sluice.producer.arrivals;

import org.jspecify.annotations.NullMarked;
