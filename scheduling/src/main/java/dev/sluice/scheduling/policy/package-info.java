/**
 * The interface of policies: which waiting jobs start now, and where. From {@link SchedulerState}
 * to a {@link Choice}, shared unchanged by the Kafka Streams scheduler and the simulator. Beside it
 * the plain values that it speaks of: jobs, graphs of jobs, what they cost, and the hash that seeds
 * share.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since the run began, named {@code …Ns};
 * memory is counted in tokens. Deliberately absent: clocks, threads, I/O, logging, Kafka, a memory
 * of earlier choices; chance only from {@link SchedulerState#draw()}.
 */
@NullMarked
package dev.sluice.scheduling.policy;

import org.jspecify.annotations.NullMarked;
