/**
 * What a page and a report show of a run: {@link dev.sluice.analytics.live.Run} says what it is,
 * {@link dev.sluice.analytics.live.Points} how it went, and {@link
 * dev.sluice.analytics.live.Snapshot} holds both with the batches on the lanes; {@link
 * dev.sluice.analytics.live.FinishedWindows} makes the seconds of a finished run from its rows, and
 * {@link dev.sluice.analytics.live.ReportPage} the page that travels. The files of the page are
 * resources of this package.
 *
 * <p>Units: times are nanoseconds since time zero of the run, named {@code …Ns}; in JSON the names
 * end in their units. Deliberately absent: HTTP, topics, and averages of percentiles.
 */
@NullMarked
package dev.sluice.analytics.live;

import org.jspecify.annotations.NullMarked;
