/**
 * A run's decisions made again: the facts of its log go to the bare core, in the log's order and at
 * its times. {@link DecisionReplay} compares each decision with the recorded one, {@link Explainer}
 * tells one job's life from them.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}). Deliberately absent:
 * text for people, threads, Kafka's clients, and any statement about latencies.
 */
@NullMarked
package dev.sluice.scheduler.replay;

import org.jspecify.annotations.NullMarked;
