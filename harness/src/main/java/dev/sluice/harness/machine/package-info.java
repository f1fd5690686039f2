/**
 * This machine: its clocks, how busy it is with others, threads that wake promptly, and its
 * terminal (plain lines, aligned items, and one live line that is drawn anew). No other package
 * reads a system clock or calls the system through JNA. Times are nanoseconds on the monotonic
 * clock, named {@code …Ns}, or milliseconds since 1970, named {@code …EpochMs}. Deliberately
 * absent: logging, which goes to a file.
 */
@NullMarked
package dev.sluice.harness.machine;

import org.jspecify.annotations.NullMarked;
