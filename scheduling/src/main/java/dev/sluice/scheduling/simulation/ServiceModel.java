package dev.sluice.scheduling.simulation;

import dev.sluice.scheduling.job.JobSpec;

/** A model of service times on the lanes of one executor. */
public interface ServiceModel {
  /**
   * Returns how long a batch typically takes by number of lanes that are busy all the time, its own
   * included, in nanoseconds and above 0: index 0 is one busy lane, the last entry holds beyond.
   * One entry: it does not depend on others. Not to be changed by the caller.
   *
   * @param first the batch's first job, for its workload, backend and precision
   * @param samples of the whole batch
   */
  double[] nsByBusyLanes(JobSpec first, int samples);

  /**
   * Returns what these times are multiplied by for this one batch; above 0.
   *
   * @param startsAtNs when it starts
   */
  double factor(JobSpec first, int samples, int attempt, long startsAtNs);
}
