package dev.sluice.scheduling.simulation;

/**
 * How a simulation ended.
 *
 * @param jobs number of jobs sent, each of which has one outcome
 * @param events facts that cores took in, batches that started, and batches that ended
 * @param endedAtNs when the last outcome stood in the log
 * @param tailLimitReached whether measured jobs still waited when the tail was over
 */
public record SimulationEnd(long jobs, long events, long endedAtNs, boolean tailLimitReached) {}
