/**
 * The second opinion: it proves a finished run legal, or names each fault, from the run's files
 * alone. It recounts the numbers of summary.json from the rows, holds the rows to each other, to
 * config.yaml, to the request list drawn a second time, and to the log. It does likewise for a log
 * of executions on GPUs and the workflow files that the log came from.
 *
 * <p>Units: whole nanoseconds since time zero of the run; in logs of executions, seconds since time
 * zero unless a name ends in {@code Ms}. Deliberately absent: all code that makes schedules, rows
 * or figures; the readers here are its own.
 */
@NullMarked
package dev.sluice.analytics.check;

import org.jspecify.annotations.NullMarked;
