/** Figures: what a run's rows come to. */
@NullMarked
package dev.sluice.analytics.figure;

import org.jspecify.annotations.NullMarked;
