/**
 * The experiment file: what a user may write, its defaults, and errors that name file and line.
 *
 * <p>Units end the names, as in the file: {@code durationSeconds}, {@code windowMs}. Deliberately
 * absent: what policies, arrival processes and models exist. The caller hands in a {@link
 * dev.sluice.contract.experiment.Vocabulary}.
 */
@NullMarked
package dev.sluice.contract.experiment;

import org.jspecify.annotations.NullMarked;
