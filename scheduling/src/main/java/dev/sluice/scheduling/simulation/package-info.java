/**
 * The second driver of the core: an experiment in virtual time, on one thread, without a log.
 *
 * <p>Generators, the append of each fact, ticks, heartbeats and lanes are events on one timeline;
 * batches are amounts of work done at a rate that depends on the lanes busy beside them. What the
 * real loop costs between two of these (a hop) is looked up in a recording of it.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since the run began, named {@code …Ns}; the
 * core is told whole milliseconds, as by a broker's append time. Deliberately absent: clocks,
 * threads, files, events of the log, models; chance only from a given seed, so that equal settings
 * give equal runs on any machine.
 */
@NullMarked
package dev.sluice.scheduling.simulation;

import org.jspecify.annotations.NullMarked;
