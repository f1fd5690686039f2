package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchDispatched.Work;

/** A model of service times on the lanes of one executor. */
public interface ServiceModel {
  /**
   * Returns the typical service times of a batch by the number of busy lanes, in nanoseconds and
   * above 0. Index 0 is for one busy lane, which is the batch's own; the last entry holds for any
   * larger number. An array of one entry means that other lanes do not matter. Callers must not
   * change the array.
   */
  double[] nsByBusyLanes(Work batch);

  /**
   * Returns the factor on the typical service times for one batch; above 0.
   *
   * @param startsAtNs when it starts
   */
  double factor(Work batch, long startsAtNs);
}
