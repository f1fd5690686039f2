/**
 * Pictures of a run or a schedule: one class for each, one line each in {@link
 * dev.sluice.analytics.plot.Plots}.
 *
 * <p>Units: axes name theirs; rows are in nanoseconds. Deliberately absent: figures of its own; a
 * picture shows rows, or figures of the summary.
 */
@NullMarked
package dev.sluice.analytics.plot;

import org.jspecify.annotations.NullMarked;
