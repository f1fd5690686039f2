/**
 * The second opinion on a schedule that was recorded or simulated: it proves it legal, or names
 * each fault. Shares no code with what made the schedule, nor with the figures.
 */
@NullMarked
package dev.sluice.analytics.check;

import org.jspecify.annotations.NullMarked;
