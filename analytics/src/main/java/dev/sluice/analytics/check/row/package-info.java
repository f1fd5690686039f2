/** Rules that hold the rows of a run's tables to each other. */
@NullMarked
package dev.sluice.analytics.check.row;

import org.jspecify.annotations.NullMarked;
