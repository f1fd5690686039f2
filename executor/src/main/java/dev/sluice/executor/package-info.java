/**
 * The executor: lanes that run batches, really or emulated, and the protocol by which they take
 * dispatches from the log and report back.
 *
 * <p>One reader thread takes the shard's dispatches, keeps the first of each id and hands each to
 * its lane's own long-lived thread, or refuses it; the lane reports the end. Units: times are
 * {@code long} nanoseconds named {@code …Ns}; since time zero of the run in events, monotonic
 * inside the process; latency tables speak of milliseconds, {@code …Ms}. Deliberately absent:
 * policies, queues (a lane holds one batch), the system's clocks, how a model computes.
 */
@NullMarked
package dev.sluice.executor;

import org.jspecify.annotations.NullMarked;
