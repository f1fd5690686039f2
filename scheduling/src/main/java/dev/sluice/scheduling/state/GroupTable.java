package dev.sluice.scheduling.state;

import dev.sluice.scheduling.policy.JobSpec;
import org.jspecify.annotations.Nullable;

/**
 * The groups by their keys, found from a job without making a key of it: a look-up for each job
 * that arrives.
 */
final class GroupTable {
  /**
   * Groups by hash: a power of two long, at most half full; groups of equal hashes are neighbours.
   */
  private @Nullable JobGroup[] places = new JobGroup[64];

  /** Hashes of the groups' jobs, by place. */
  private int[] hashes = new int[64];

  private int size;

  /** Returns the group of the job; null: there is none yet. */
  @Nullable JobGroup find(JobSpec job) {
    int place = hash(job);
    while (true) {
      JobGroup group = places[place & (places.length - 1)];
      if (group == null || group.key.isOf(job)) {
        return group;
      }
      place++;
    }
  }

  /** Adds the group of a job that was not found. */
  void add(JobSpec job, JobGroup group) {
    if (2 * ++size > places.length) {
      JobGroup[] before = places;
      int[] hashesBefore = hashes;
      places = new JobGroup[2 * before.length];
      hashes = new int[places.length];
      for (int i = 0; i < before.length; i++) {
        if (before[i] != null) {
          put(hashesBefore[i], before[i]);
        }
      }
    }
    put(hash(job), group);
  }

  private void put(int hash, JobGroup group) {
    int place = hash & (places.length - 1);
    while (places[place] != null) {
      place = (place + 1) & (places.length - 1);
    }
    places[place] = group;
    hashes[place] = hash;
  }

  private static int hash(JobSpec job) {
    int hash = 31 * job.classType().hashCode() + job.workload().hashCode();
    hash = 31 * (31 * hash + job.backend().hashCode()) + job.precision().hashCode();
    hash = (31 * (31 * hash + job.samples()) + job.lanesNeeded()) * 0x9E3779B9; // spreads it upward
    return hash >>> 16 ^ hash;
  }
}
