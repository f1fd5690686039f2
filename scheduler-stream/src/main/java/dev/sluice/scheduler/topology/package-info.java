/**
 * One Kafka Streams topology that feeds a shard's facts to the core and writes its dispatches and
 * outcomes, with a snapshot of the core in a changelogged store, from which and the facts after it
 * any process makes the core again. Several processes may run the topology: they share the shards,
 * and take over the shards of a process that dies. {@link ExperimentCore} and {@link WorkflowCore}
 * make the core of a run's files, for every driver.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}); "now" is the append
 * time of the fact at hand, in whole milliseconds. Deliberately absent: policies, and any decision.
 */
@NullMarked
package dev.sluice.scheduler.topology;

import org.jspecify.annotations.NullMarked;
