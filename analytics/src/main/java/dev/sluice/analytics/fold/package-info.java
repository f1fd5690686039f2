/**
 * Folds of a run's event log: {@link dev.sluice.analytics.fold.LiveFold} counts and forgets what
 * has ended, {@link dev.sluice.analytics.fold.RunFold} keeps everything as rows.
 *
 * <p>Units: times are nanoseconds since time zero of the run, named {@code …Ns}; append times are
 * milliseconds since 1970, named {@code …EpochMs}. Deliberately absent: Kafka, clocks and figures.
 */
@NullMarked
package dev.sluice.analytics.fold;

import org.jspecify.annotations.NullMarked;
