/**
 * Reads a run's topics: live, into counts, while the run goes on, and once more at its end, into
 * rows. {@link dev.sluice.analytics.log.EventLogReader} is the entry.
 *
 * <p>Units: times are nanoseconds since time zero of the run, named {@code …Ns}; a broker's append
 * times are milliseconds since 1970, named {@code …EpochMs}. Deliberately absent: figures, tables
 * and any state kept from one process to the next, save what the metrics topic holds.
 */
@NullMarked
package dev.sluice.analytics.log;

import org.jspecify.annotations.NullMarked;
