package dev.sluice.analytics.folder;

/**
 * Times of a job that was done in the measured window, as trace.csv has them, in their order.
 *
 * @param intendedNs intended arrival
 * @param sentNs the producer's send call
 * @param appendedNs append of the request, 1 ms resolution
 * @param decidedNs log time of the fact that led to the decision
 * @param startedNs start of the batch
 */
public record FinishedJob(
    long intendedNs, long sentNs, long appendedNs, long decidedNs, long startedNs) {}
