/**
 * Translation of event records into facts of the core and of the core's answers into event records;
 * of workflow files into graphs of the core, and of a run's events into executions of nodes.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}); those of workflow files
 * since the earliest request. Deliberately absent: Kafka Streams, clocks, any decision, and the
 * figures of a schedule.
 */
@NullMarked
package dev.sluice.scheduler.translation;

import org.jspecify.annotations.NullMarked;
