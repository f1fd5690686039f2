/**
 * Figures, computed from the rows of a run: one class for each family, one line each in {@link
 * dev.sluice.analytics.figure.Figures}, with plain loops over the rows.
 *
 * <p>Units: figures carry their unit at the end of their name ({@code _ms}, {@code _sps} = samples
 * per second, {@code _jobs_sec}). A figure is infinite if it is a percentile that falls on a job
 * without a done outcome; a figure with an empty divisor is null. Deliberately absent: estimates
 * where an exact figure is possible, policies, and any knowledge that is neither in the log nor in
 * the experiment.
 */
@NullMarked
package dev.sluice.analytics.figure;

import org.jspecify.annotations.NullMarked;
