/**
 * Jobs and batches of a run as tables, and a run's folder: the names of its files, its figures by
 * name as summary.json holds them, and the one reader of a finished one, {@link FinishedRun}.
 *
 * <p>Units: nanoseconds since time zero unless a name says otherwise, whatever the unit in a file;
 * figures carry theirs in their names. An infinite figure and a figure with an empty divisor are
 * both null in summary.json. Deliberately absent: records of the log, which the fold turns into
 * rows, the computation of figures, the writing of the files, and the second opinion, which has
 * readers of its own.
 */
@NullMarked
package dev.sluice.analytics.row;

import org.jspecify.annotations.NullMarked;
