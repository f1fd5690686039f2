/** Recounts the numbers of a run's summary.json from its rows and its config. */
@NullMarked
package dev.sluice.analytics.check.figure;

import org.jspecify.annotations.NullMarked;
