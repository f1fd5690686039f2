/**
 * What the planner measures and runs here: profiles of a network's layers, with the files of models
 * and device types that {@code plan} reads, and plans that run with one process for each stage,
 * micro-batches over loopback sockets that are paced to the planned bandwidth, and what was planned
 * beside what was measured.
 *
 * <p>Units: times are nanoseconds or seconds by name, memory is bytes, bandwidth is bits a second;
 * the files hold MiB under the name MB and Mbit/s of 1024² bits, as the planner reads them.
 * Deliberately absent: the search for a plan.
 */
@NullMarked
package dev.sluice.planning.pipeline;

import org.jspecify.annotations.NullMarked;
