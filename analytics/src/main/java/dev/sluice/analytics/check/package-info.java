/**
 * The second opinion on a schedule that was recorded or simulated: it proves the schedule legal, or
 * names each fault.
 *
 * <p>Units: times are seconds since time zero unless their name ends in {@code Ms}, as in the
 * files. Deliberately absent: all code that makes schedules or figures; the readers here are its
 * own.
 */
@NullMarked
package dev.sluice.analytics.check;

import org.jspecify.annotations.NullMarked;
