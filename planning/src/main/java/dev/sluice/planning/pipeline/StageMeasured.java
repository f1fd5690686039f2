package dev.sluice.planning.pipeline;

/**
 * What a stage tells at its end.
 *
 * @param microBatches number that it computed
 * @param computeSeconds median time of the layers on a micro-batch
 * @param transferSeconds median time for which the link behind the stage was busy with a
 *     micro-batch
 * @param memoryBytes memory by which its process grew from before its layers were loaded; 0 where
 *     the system does not tell
 */
record StageMeasured(
    long microBatches, double computeSeconds, double transferSeconds, long memoryBytes) {}
