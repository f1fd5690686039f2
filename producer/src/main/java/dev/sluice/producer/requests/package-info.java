/**
 * The request list: which jobs come, when they are meant to arrive, and what they ask for.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}). Deliberately absent:
 * sending, clocks, and any chance but the run's seed.
 */
@NullMarked
package dev.sluice.producer.requests;

import org.jspecify.annotations.NullMarked;
