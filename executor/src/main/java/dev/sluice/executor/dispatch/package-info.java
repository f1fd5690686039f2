/**
 * The executor's protocol: dispatches in, reports and completions out.
 *
 * <p>One reader thread takes the shard's dispatches, keeps the first of each id, and hands each to
 * its lane's own long-lived thread or refuses it; the lane's thread reports the end. Units: times
 * are {@code long} nanoseconds named {@code …Ns}, since time zero of the run in events and
 * monotonic inside the process. Deliberately absent: policies, the system's clocks, how a model
 * computes.
 */
@NullMarked
package dev.sluice.executor.dispatch;

import org.jspecify.annotations.NullMarked;
