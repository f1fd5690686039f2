package dev.sluice.scheduling.core;

import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobSpec;

/**
 * A job that waits.
 *
 * @param entry place in the sequence in which the core took its jobs in
 * @param arrivedAtNs log time at which the job came to the core; a job that came back from a lost
 *     batch keeps it
 * @param attempts number of its dispatches that were lost so far
 */
public record WaitingJob(
    JobSpec spec, JobClass jobClass, long entry, long arrivedAtNs, int attempts) {}
