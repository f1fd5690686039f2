/**
 * Schedules of workflows over GPUs, in virtual time or by nodes that really run, and the files that
 * describe them. Times are nanoseconds since the first request, named {@code …Ns}; the files have
 * seconds.
 */
@NullMarked
package dev.sluice.harness.workflow;

import org.jspecify.annotations.NullMarked;
