package dev.sluice.producer.generator;

/**
 * How far the generators of this process are, all together, for a person or a gauge that looks now
 * and then.
 *
 * @param jobsSent how many jobs were handed to the log, those of generators before a resumption
 *     included
 * @param latenessNsNow send call − intended arrival, the largest over the generators of the last
 *     job that each sent; 0 before the first
 * @param latenessNsMax the largest of all jobs
 * @param arrivalsOver whether no further job will be sent
 */
public record GeneratorNumbers(
    long jobsSent, long latenessNsNow, long latenessNsMax, boolean arrivalsOver) {}
