package dev.sluice.scheduling.workflow;

/**
 * A model that nodes run.
 *
 * @param id an id that no other model has
 * @param gpus number of GPUs that the model takes at once, at least 1
 * @param loadNs how long it takes to load onto an empty GPU
 * @param typicalNs typical duration of a run; 0: not known
 */
public record GpuModel(String id, double memoryGb, int gpus, long loadNs, long typicalNs) {}
