/**
 * Events: the records that stand in a run's topics, each a fact in the past tense; among them the
 * windows of the topics {@code metrics} and {@code lanes}, with the buckets of their histograms,
 * for those who watch a run.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}, unless its name ends in {@code EpochMs}. Events are immutable, and JSON on the wire; a
 * field is added, never re-used. Deliberately absent: Kafka, policies, threads.
 */
@NullMarked
package dev.sluice.contract.event;

import org.jspecify.annotations.NullMarked;
