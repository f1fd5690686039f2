package dev.sluice.scheduling.workflow;

import dev.sluice.contract.event.WorkflowRequested;

/**
 * A request that was executed and not completed.
 *
 * @param sent whether the request was ever sent
 * @param failed whether a node failed; otherwise one was dropped
 */
public record UnfinishedRequest(
    WorkflowRequested request, boolean sent, boolean failed, String reason) {}
