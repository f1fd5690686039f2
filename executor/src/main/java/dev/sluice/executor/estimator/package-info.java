/**
 * Estimators of service times, fitted to measured rows: medians, interpolation, lines, trees.
 *
 * <p>Units: natural logarithms of nanoseconds, {@code lnNs}. Deliberately absent: files, which
 * estimator is the best, chance but from a seed.
 */
@NullMarked
package dev.sluice.executor.estimator;

import org.jspecify.annotations.NullMarked;
