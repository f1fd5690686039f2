/**
 * Between a run's files and the core: the core of an experiment or of executed workflows, and a
 * core's state as bytes.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}). Deliberately absent:
 * Kafka Streams, clocks, and any decision.
 */
@NullMarked
package dev.sluice.scheduler.translation;

import org.jspecify.annotations.NullMarked;
