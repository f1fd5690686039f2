/**
 * A check of a schedule as a command. The proof itself is in {@code analytics.check}, which shares
 * no code with what made the schedule; this package prints what the proof found.
 */
@NullMarked
package dev.sluice.harness.check;

import org.jspecify.annotations.NullMarked;
