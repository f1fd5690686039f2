/**
 * {@code ./sluice explain}: the life of one job of a run, from the run's log or, without a log,
 * from its tables.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}); people read seconds and
 * milliseconds. Deliberately absent: the decisions, which {@link dev.sluice.scheduler.explain}
 * makes again.
 */
@NullMarked
package dev.sluice.harness.explain;

import org.jspecify.annotations.NullMarked;
