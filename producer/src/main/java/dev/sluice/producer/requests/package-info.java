/**
 * The request list: all jobs of a run, with their intended arrivals and their attributes.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}). Deliberately absent:
 * sending, clocks, and chance other than from the run's seed.
 */
@NullMarked
package dev.sluice.producer.requests;

import org.jspecify.annotations.NullMarked;
