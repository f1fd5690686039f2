package dev.sluice.producer.generator;

/**
 * Progress of all generators of this process together, for a person or a gauge that looks from time
 * to time.
 *
 * @param jobsSent number of jobs handed to the log, including jobs of earlier generators if the run
 *     was resumed
 * @param latenessNsNow largest lateness (send call − intended arrival) among the last jobs of the
 *     generators; 0 before the first job
 * @param latenessNsMax largest lateness of all jobs
 * @param arrivalsOver whether no further job will be sent
 */
public record GeneratorNumbers(
    long jobsSent, long latenessNsNow, long latenessNsMax, boolean arrivalsOver) {}
