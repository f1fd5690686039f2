package dev.sluice.scheduling;

import org.jspecify.annotations.Nullable;

/**
 * The groups by their keys, found from a job without making a key of it: a look-up for each job
 * that arrives.
 */
final class GroupTable {
  /** A power of two long, at most half full; those of equal hashes stand one after the other. */
  private @Nullable JobGroup[] places = new JobGroup[64];

  private int size;

  /** The group of the job; null: there is none yet. */
  @Nullable JobGroup find(JobSpec job) {
    int place =
        hash(
            job.classType(),
            job.workload(),
            job.backend(),
            job.precision(),
            job.samples(),
            job.lanesNeeded());
    while (true) {
      JobGroup group = places[place & (places.length - 1)];
      if (group == null || group.key.isOf(job)) {
        return group;
      }
      place++;
    }
  }

  /** Adds a group of a key that no other has. */
  void add(JobGroup group) {
    if (2 * ++size > places.length) {
      JobGroup[] before = places;
      places = new JobGroup[2 * before.length];
      for (JobGroup other : before) {
        if (other != null) {
          put(other);
        }
      }
    }
    put(group);
  }

  private void put(JobGroup group) {
    JobGroup.Key key = group.key;
    int place =
        hash(
            key.classType(),
            key.workload(),
            key.backend(),
            key.precision(),
            key.samples(),
            key.lanesNeeded());
    while (places[place & (places.length - 1)] != null) {
      place++;
    }
    places[place & (places.length - 1)] = group;
  }

  private static int hash(
      String classType,
      String workload,
      String backend,
      String precision,
      int samples,
      int lanesNeeded) {
    int hash = 31 * classType.hashCode() + workload.hashCode();
    hash = 31 * (31 * hash + backend.hashCode()) + precision.hashCode();
    hash = (31 * (31 * hash + samples) + lanesNeeded) * 0x9E3779B9; // spreads it upward
    return hash >>> 16 ^ hash;
  }
}
