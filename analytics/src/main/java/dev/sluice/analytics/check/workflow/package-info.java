/**
 * The second opinion on a log of executions on GPUs: by itself, and as an answer to the workflow
 * files that it came from. Times are seconds since time zero, as in the log.
 */
@NullMarked
package dev.sluice.analytics.check.workflow;

import org.jspecify.annotations.NullMarked;
