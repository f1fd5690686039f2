/**
 * The core in virtual time, on one thread, without a log: an experiment, or workflows over GPUs.
 *
 * <p>Of an experiment, generators, the append of each fact, ticks, heartbeats and lanes are events
 * on one timeline; batches are amounts of work done at a rate that depends on the lanes busy beside
 * them. What the real loop costs between two of these (a hop) is looked up in a recording of it. Of
 * workflows, lanes play the GPUs; the schedule that comes of it, or that was executed, has its
 * figures here.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since the run began or since the first
 * request, named {@code …Ns}; the core of an experiment is told whole milliseconds, as by a
 * broker's append time. Deliberately absent: clocks, threads, files, models, and any rule of
 * scheduling; chance only from a given seed, so that equal settings give equal runs on any machine.
 */
@NullMarked
package dev.sluice.scheduling.simulation;

import org.jspecify.annotations.NullMarked;
