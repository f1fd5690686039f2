/**
 * Policies: which waiting jobs start now, and where. From {@link SchedulerState} to a {@link
 * Choice}, shared unchanged by the Kafka Streams scheduler and the simulator.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since the run began, named {@code …Ns}.
 * Deliberately absent: clocks, threads, I/O, logging, Kafka, a memory of earlier choices; chance
 * only from {@link SchedulerState#draw()}.
 */
@NullMarked
package dev.sluice.scheduling.policy;

import org.jspecify.annotations.NullMarked;
