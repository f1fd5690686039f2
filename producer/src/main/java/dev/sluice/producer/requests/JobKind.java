package dev.sluice.producer.requests;

/**
 * The attributes of a job, except its time. Few kinds exist, whatever the number of jobs.
 *
 * @param sloNs latency promise, from intended arrival to end; above 0
 */
public record JobKind(
    String classType, String workload, String backend, String precision, int samples, long sloNs) {}
