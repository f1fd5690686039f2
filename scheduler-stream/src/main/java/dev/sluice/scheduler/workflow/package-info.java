/**
 * Conversion of workflow files into graphs of the core, and of a run's events into executions of
 * nodes.
 *
 * <p>Units: times are nanoseconds ({@code …Ns}) since the earliest request, in a run since its time
 * zero. Deliberately absent: figures of a schedule, which are in {@code scheduling.workflow}.
 */
@NullMarked
package dev.sluice.scheduler.workflow;

import org.jspecify.annotations.NullMarked;
