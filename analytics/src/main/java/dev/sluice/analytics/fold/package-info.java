/** Folds of the event log: one that forgets what has ended, and one into rows. */
@NullMarked
package dev.sluice.analytics.fold;

import org.jspecify.annotations.NullMarked;
