/**
 * This machine: its clocks, how busy it is with others, and threads that wake promptly. No other
 * package reads a system clock or calls the system through JNA. Times are nanoseconds on the
 * monotonic clock, named {@code …Ns}, or milliseconds since 1970, named {@code …EpochMs}.
 */
@NullMarked
package dev.sluice.harness.machine;

import org.jspecify.annotations.NullMarked;
