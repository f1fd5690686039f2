/** Holds a run's rows to its log, by a reader of its own. */
@NullMarked
package dev.sluice.analytics.check.log;

import org.jspecify.annotations.NullMarked;
