/**
 * Lanes that wait instead of computing: service times from a latency table or a line, with
 * contention, drift and noise.
 *
 * <p>Units: latency tables speak of milliseconds, {@code …Ms}; everything else is nanoseconds,
 * {@code …Ns}. Deliberately absent: clocks and waiting, which callers hand in.
 */
@NullMarked
package dev.sluice.executor.emulation;

import org.jspecify.annotations.NullMarked;
