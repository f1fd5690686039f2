/**
 * Numbers by row in primitive arrays, and exact ranks among them.
 *
 * <p>Columns take heap up to a bound, and files beyond it, so that a run's rows need not fit into
 * memory. Units: those of the caller. Deliberately absent: estimates of ranks, and any knowledge of
 * jobs and batches.
 */
@NullMarked
package dev.sluice.analytics.column;

import org.jspecify.annotations.NullMarked;
