/**
 * Thresholds that end a run: bounds whose figure can be told before the run is over, because enough
 * jobs have ended. Times are in nanoseconds since time zero.
 *
 * <p>Deliberately absent: guesses. A bound counts as lost only if no end of the jobs to come can
 * make its threshold met.
 */
@NullMarked
package dev.sluice.analytics.abort;

import org.jspecify.annotations.NullMarked;
