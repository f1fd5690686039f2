/**
 * Lanes: each is one long-lived thread that holds models and runs one batch at a time.
 *
 * <p>Units: monotonic nanoseconds, {@code …Ns}. Deliberately absent: queues (a lane holds one
 * batch, and at most a few ahead), the log, the system's clocks.
 */
@NullMarked
package dev.sluice.executor.lane;

import org.jspecify.annotations.NullMarked;
