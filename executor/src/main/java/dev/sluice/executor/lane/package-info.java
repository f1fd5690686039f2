/**
 * Lanes: each is one long-lived thread that holds models and runs one batch at a time, on a device
 * that computes or on one that waits: for the time of a latency table or a line, with contention,
 * drift and noise.
 *
 * <p>Units: monotonic nanoseconds, {@code …Ns}; latency tables speak of milliseconds, {@code …Ms}.
 * Deliberately absent: queues (a lane holds one batch, and at most a few ahead), the log, the
 * system's clocks.
 */
@NullMarked
package dev.sluice.executor.lane;

import org.jspecify.annotations.NullMarked;
