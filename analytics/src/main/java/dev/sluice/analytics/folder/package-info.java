/**
 * A run's folder: the names of its files, and the one reader of a finished one. Simulations,
 * comparisons and benches read runs through {@link dev.sluice.analytics.folder.FinishedRun}.
 *
 * <p>Units: times are nanoseconds since time zero of the run, named {@code …Ns}, whatever the unit
 * in the file. Deliberately absent: the writing of the files, and the second opinions (check,
 * audit), which have readers of their own.
 */
@NullMarked
package dev.sluice.analytics.folder;

import org.jspecify.annotations.NullMarked;
