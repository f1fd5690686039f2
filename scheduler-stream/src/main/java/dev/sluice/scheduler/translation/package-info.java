/**
 * Translation of event records into facts of the core, and of the core's answers into event
 * records.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}). Deliberately absent:
 * Kafka Streams, clocks, and any decision.
 */
@NullMarked
package dev.sluice.scheduler.translation;

import org.jspecify.annotations.NullMarked;
