package dev.sluice.scheduling.workflow;

/**
 * A model that nodes run.
 *
 * @param id unlike that of any other model
 * @param gpus how many it takes at once, at least 1
 * @param loadNs how long it takes to load onto an empty GPU
 * @param typicalNs typical duration of a run; 0: not known
 */
public record GpuModel(String id, double memoryGb, int gpus, long loadNs, long typicalNs) {}
