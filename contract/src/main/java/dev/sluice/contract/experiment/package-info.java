/**
 * The experiment file: what a user may write, its defaults, errors that name file and line, and the
 * keys below {@code arrivals} that name a recording or a trace to be replayed.
 *
 * <p>Units end the names, as in the file: {@code durationSeconds}, {@code windowMs}; times of a
 * recording are seconds since its time zero. Deliberately absent: what policies, arrival processes
 * and models exist (the caller hands in a {@link dev.sluice.contract.experiment.Vocabulary}), and
 * the reading of the file that is replayed.
 */
@NullMarked
package dev.sluice.contract.experiment;

import org.jspecify.annotations.NullMarked;
