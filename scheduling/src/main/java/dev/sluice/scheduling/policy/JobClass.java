package dev.sluice.scheduling.policy;

/**
 * A class of jobs.
 *
 * @param name as the experiment names it
 * @param priority a lower number is more urgent
 * @param interactive whether a person waits for these jobs
 * @param microbatch whether these jobs may share a batch
 */
public record JobClass(String name, int priority, boolean interactive, boolean microbatch) {}
