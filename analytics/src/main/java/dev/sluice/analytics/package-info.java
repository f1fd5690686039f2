/**
 * A consumer of the event log that needs nothing else: it folds the records of a run into rows, and
 * the rows into tables (trace.csv, dispatches.csv), figures (summary.json) and pictures.
 *
 * <p>Units: times are nanoseconds since time zero of the run, named {@code …Ns}; figures carry
 * their unit at the end of their name ({@code _ms}, {@code _sps} = samples per second, {@code
 * _jobs_sec}). An infinite figure (a percentile that falls on a job without a done outcome) and one
 * with an empty divisor are null in summary.json. Deliberately absent: policies, estimates where an
 * exact figure is possible, and any knowledge that is neither in the log nor in the experiment.
 */
@NullMarked
package dev.sluice.analytics;

import org.jspecify.annotations.NullMarked;
