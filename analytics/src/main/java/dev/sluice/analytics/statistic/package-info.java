/**
 * Statistics, numbers as text, and columns: numbers by row in primitive arrays, with exact ranks
 * among them. Columns take heap up to a bound, and files beyond it, so that a run's rows need not
 * fit into memory.
 *
 * <p>Units: those of the caller. Deliberately absent: percentiles by interpolation and estimates of
 * ranks (every percentile here is a value that occurred); any knowledge of jobs and batches.
 */
@NullMarked
package dev.sluice.analytics.statistic;

import org.jspecify.annotations.NullMarked;
