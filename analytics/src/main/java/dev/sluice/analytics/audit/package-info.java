/**
 * The second opinion on a run: reads its kept topics and its folder, and names every fact that
 * cannot be true of a run that lost and doubled nothing. It trusts no process's own counts.
 *
 * <p>Units: times are nanoseconds since time zero, named {@code …Ns}. Deliberately absent: the
 * fold, the figures and the codecs that made the folder; a fault in them would be a fault here.
 */
@NullMarked
package dev.sluice.analytics.audit;

import org.jspecify.annotations.NullMarked;
