/**
 * Statistics and numbers as text.
 *
 * <p>Units: those of the caller. Deliberately absent: percentiles by interpolation; every
 * percentile here is a value that occurred.
 */
@NullMarked
package dev.sluice.analytics.statistic;

import org.jspecify.annotations.NullMarked;
