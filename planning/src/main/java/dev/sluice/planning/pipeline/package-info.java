/**
 * Plans that run here: one process for each stage, micro-batches over loopback sockets that are
 * paced to the planned bandwidth, and what was planned beside what was measured.
 *
 * <p>Units: times are nanoseconds or seconds by name, bandwidth is bits a second. Deliberately
 * absent: the search for a plan.
 */
@NullMarked
package dev.sluice.planning.pipeline;

import org.jspecify.annotations.NullMarked;
