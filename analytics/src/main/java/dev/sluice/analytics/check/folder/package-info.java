/**
 * The files of a finished run's folder, as the second opinion reads them, with readers of its own.
 * Times and durations are whole nanoseconds; those of a run since its time zero.
 */
@NullMarked
package dev.sluice.analytics.check.folder;

import org.jspecify.annotations.NullMarked;
