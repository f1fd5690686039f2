/**
 * Statistics, numbers as text, and columns: numbers by row in primitive arrays, with exact ranks
 * among them.
 *
 * <p>Units: those of the caller. Deliberately absent: percentiles by interpolation and estimates of
 * ranks (every percentile here is a value that occurred); any knowledge of jobs and batches.
 */
@NullMarked
package dev.sluice.analytics.statistic;

import org.jspecify.annotations.NullMarked;
