/**
 * Comparison of finished runs: repeats with different seeds, and live runs with their simulations.
 *
 * <p>Units: as the names of figures say. Deliberately absent: figures of its own; it compares what
 * summary.json holds.
 */
@NullMarked
package dev.sluice.analytics.compare;

import org.jspecify.annotations.NullMarked;
