/**
 * Schedules of workflows over GPUs, in virtual time or by nodes that really run: their files as a
 * request list, a run's events as executions of nodes, and the files that describe a schedule.
 * Times are nanoseconds since the first request, named {@code …Ns}; the files have seconds.
 */
@NullMarked
package dev.sluice.harness.workflow;

import org.jspecify.annotations.NullMarked;
