/**
 * Job generators: which jobs a run asks for, when each is meant to arrive, and sending them on
 * time.
 *
 * <p>Units: a time is a {@code long} of nanoseconds since time zero of the run, named {@code …Ns};
 * a gap is a {@code double} of nanoseconds, since a rate seldom divides a second. Deliberately
 * absent: policies, lanes, figures, and the verdict whether a generator was too late; chance only
 * from the run's seed; a clock and a pacer only as they are handed in.
 */
@NullMarked
package dev.sluice.producer;

import org.jspecify.annotations.NullMarked;
