/** Workflow files as graphs of the core, and the log's events as their executions. */
@NullMarked
package dev.sluice.scheduler.workflow;

import org.jspecify.annotations.NullMarked;
