/**
 * Figures of a run by name, as summary.json holds them, and the verdict on the run.
 *
 * <p>Units: figures carry theirs in their names. An infinite figure and a figure with an empty
 * divisor are both null in summary.json. Deliberately absent: the computation of figures.
 */
@NullMarked
package dev.sluice.analytics.summary;

import org.jspecify.annotations.NullMarked;
