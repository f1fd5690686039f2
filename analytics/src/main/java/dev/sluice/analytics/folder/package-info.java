/**
 * A run's folder: the names of its files, its figures by name as summary.json holds them, and the
 * one reader of a finished one. Simulations, comparisons and benches read runs through {@link
 * dev.sluice.analytics.folder.FinishedRun}.
 *
 * <p>Units: times are nanoseconds since time zero of the run, named {@code …Ns}, whatever the unit
 * in the file; figures carry theirs in their names. An infinite figure and a figure with an empty
 * divisor are both null in summary.json. Deliberately absent: the computation of figures, the
 * writing of the files, and the second opinion, which has readers of its own.
 */
@NullMarked
package dev.sluice.analytics.folder;

import org.jspecify.annotations.NullMarked;
