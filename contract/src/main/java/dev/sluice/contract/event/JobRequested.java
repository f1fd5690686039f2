package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;

/**
 * A job entered the system. Topic {@code facts}.
 *
 * @param jobId id, unique in the run; it does not depend on the number of generators
 * @param generator index of the generator that sent it, from 0
 * @param index its place in the run's request list, from 0; rises per generator and shard
 * @param classType the job's class, a key of {@code classes} in the experiment file
 * @param samples number of inputs of this job, at least 1
 * @param sloNs latency promise, from intended arrival to end
 * @param intendedAtNs time at which the arrival process wanted the job sent; latency counts from it
 * @param sentAtNs time at which the generator called send
 */
public record JobRequested(
    String jobId,
    int generator,
    long index,
    String classType,
    String workload,
    String backend,
    String precision,
    int samples,
    long sloNs,
    long intendedAtNs,
    long sentAtNs)
    implements Fact {
  public JobRequested {
    Checks.atLeast(0, generator, "generator");
    Checks.atLeast(0, index, "index");
    Checks.atLeast(1, samples, "samples");
    Checks.atLeast(1, sloNs, "sloNs");
    Checks.atLeast(0, intendedAtNs, "intendedAtNs");
  }

  public JobRequested sentAt(long ns) {
    return new JobRequested(
        jobId,
        generator,
        index,
        classType,
        workload,
        backend,
        precision,
        samples,
        sloNs,
        intendedAtNs,
        ns);
  }
}
