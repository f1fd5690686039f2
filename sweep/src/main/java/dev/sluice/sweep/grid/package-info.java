/**
 * Sluice's own sweeps: the cells of a grid, each checked before the first runs, simulated in
 * threads or run as tasks of a {@link dev.sluice.sweep.queue queue}, and told side by side.
 *
 * <p>Figures carry their units in their names. Deliberately absent: a number for a cell that failed
 * or that is not comparable.
 */
@NullMarked
package dev.sluice.sweep.grid;

import org.jspecify.annotations.NullMarked;
