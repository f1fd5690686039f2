/**
 * Between a run's files and the core: an experiment's core, a core's state as bytes, workflow files
 * as a request list, and a run's events as executions of nodes.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}); those of workflow files
 * since the earliest request. Deliberately absent: Kafka Streams, clocks, any decision, and the
 * figures of a schedule.
 */
@NullMarked
package dev.sluice.scheduler.translation;

import org.jspecify.annotations.NullMarked;
