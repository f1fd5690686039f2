/**
 * Workflows over GPUs in virtual time: a driver of the core that lets lanes play the GPUs, the
 * schedule that comes of it, simulated or executed, and its figures.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since the first request, named {@code …Ns}.
 * Deliberately absent: files, clocks, threads, chance, and any rule of scheduling: these are the
 * policies' and the core's.
 */
@NullMarked
package dev.sluice.scheduling.workflow;

import org.jspecify.annotations.NullMarked;
