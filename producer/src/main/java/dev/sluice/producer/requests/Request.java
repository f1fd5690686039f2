package dev.sluice.producer.requests;

/**
 * A job of the request list, before anybody sent it.
 *
 * @param index its place in the list, from 0
 * @param jobId {@code job-} and the index
 * @param sloNs latency promise, from intended arrival to end
 * @param intendedAtNs when it is meant to be sent
 */
public record Request(
    int index,
    String jobId,
    String classType,
    String workload,
    String backend,
    String precision,
    int samples,
    long sloNs,
    long intendedAtNs) {}
