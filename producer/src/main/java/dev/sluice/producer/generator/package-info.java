/**
 * Generators: they begin a run once its lanes are there, send its requests at their times, and end
 * it.
 *
 * <p>Units: a time is a {@code long} of nanoseconds since time zero of the run, named {@code …Ns}.
 * Deliberately absent: policies, lanes, figures, the verdict whether a generator was too late, and
 * a clock or pacer of its own: callers hand them in.
 */
@NullMarked
package dev.sluice.producer.generator;

import org.jspecify.annotations.NullMarked;
