/**
 * A run's decisions made again: the facts of its log go to the bare core, in the log's order and at
 * its times, and each decision is compared with the recorded one. {@link DecisionReplay} is the way
 * in.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}). Deliberately absent:
 * files, threads, Kafka's clients, and any statement about latencies.
 */
@NullMarked
package dev.sluice.scheduler.replay;

import org.jspecify.annotations.NullMarked;
