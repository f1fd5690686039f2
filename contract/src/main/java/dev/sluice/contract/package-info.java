/**
 * What crosses a process boundary: the events of a run, the topics they stand in, their bytes, and
 * the clock they are dated by. Processes meet in these and nowhere else.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}, unless its name ends in {@code EpochMs}. Events are immutable and JSON; a field is added,
 * never re-used. Deliberately absent: Kafka clients, policies, models, threads.
 */
@NullMarked
package dev.sluice.contract;

import org.jspecify.annotations.NullMarked;
