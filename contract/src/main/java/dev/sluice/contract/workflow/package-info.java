/**
 * Workflow files: a system's models and workflows, and the requests for them, from YAML or JSON,
 * with errors that name file and line.
 *
 * <p>Units end the names, as in the files: {@code loadTimeSeconds}, {@code memoryGb}. Deliberately
 * absent: how long anything takes in the end, and where it runs; a request's {@code input_data} and
 * {@code node_configs}, which are checked and not kept, since nothing here depends on them.
 */
@NullMarked
package dev.sluice.contract.workflow;

import org.jspecify.annotations.NullMarked;
