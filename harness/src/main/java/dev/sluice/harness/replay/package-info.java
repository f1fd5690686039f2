/**
 * Recorded runs: {@code record} takes requests, or a whole log, from a run's folder or from the
 * topics of a Kafka into a file; {@code replay --decisions} makes a log's decisions again and
 * compares them; {@code explain} tells the life of one job. Topics are read by assignment: nothing
 * is committed and nothing is created.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}), or end in {@code
 * EpochMs}; people read seconds and milliseconds. Deliberately absent: the format of recordings,
 * and the comparison of decisions, which is the scheduler's.
 */
@NullMarked
package dev.sluice.harness.replay;

import org.jspecify.annotations.NullMarked;
