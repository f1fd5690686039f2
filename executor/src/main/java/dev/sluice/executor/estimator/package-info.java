/**
 * Estimators of service times, fitted to measured rows: medians, interpolation, lines, trees.
 *
 * <p>Units: natural logarithms of nanoseconds, {@code lnNs}. Deliberately absent: files, the choice
 * of the best estimator, chance other than from a seed.
 */
@NullMarked
package dev.sluice.executor.estimator;

import org.jspecify.annotations.NullMarked;
