package dev.sluice.scheduling.workflow;

/**
 * A request that was executed and not completed.
 *
 * @param sent whether the request was ever sent
 * @param failed whether a node failed; otherwise one was dropped
 */
public record UnfinishedRequest(
    GraphRequest request, boolean sent, boolean failed, String reason) {}
