/**
 * Benches of queues as a user has them: a workspace, its scheduler as a process of its own, tasks
 * that are small shells. Tasks say in a named pipe when they begin and end, and the bench stamps
 * what it reads there, so that no task waits for a program that tells the time.
 *
 * <p>Times are nanoseconds of this process's monotonic clock; units of rows stand in each row.
 * Deliberately absent: grids, whose cells are simulations and runs.
 */
@NullMarked
package dev.sluice.harness.bench.sweep;

import org.jspecify.annotations.NullMarked;
