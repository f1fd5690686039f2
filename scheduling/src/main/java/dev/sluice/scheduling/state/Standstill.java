package dev.sluice.scheduling.state;

import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a policy has said: that nothing can start. It stays true of all jobs that waited then until
 * a job leaves the queue, something changes on an executor, or a window ends. Until then only the
 * sets that jobs have arrived in since need to be looked at.
 */
final class Standstill {
  /** Cause for which nothing can start; null: nothing was said, or it is no longer true. */
  private @Nullable Cause cause;

  private long untilNs;

  /** Number of changes of executors when it was said. */
  private long changes;

  /** Sets that jobs have arrived in since, by rank. */
  private final List<JobSet> arrivedIn = new ArrayList<>();

  /**
   * Notes that nothing can start.
   *
   * @param ripeAtNs when the next window ends
   * @param ofExecutors number of changes of executors so far
   */
  void begin(Cause why, long ripeAtNs, long ofExecutors) {
    cause = why;
    untilNs = ripeAtNs;
    changes = ofExecutors;
    arrivedIn.clear();
  }

  void end() {
    cause = null;
  }

  void arrived(JobSet set, long nowNs) {
    if (cause == null) {
      return;
    }
    int place = arrivedIn.size();
    while (place > 0 && arrivedIn.get(place - 1).rank > set.rank) {
      place--;
    }
    if (place == 0 || arrivedIn.get(place - 1) != set) {
      arrivedIn.add(place, set);
    }
    if (set.hasUnripe(nowNs)) {
      untilNs = Math.min(untilNs, set.readyAtNs());
    }
  }

  /**
   * Returns the cause for which nothing could start that waited when it was said; null: some of it
   * may start now.
   *
   * @param ofExecutors number of changes of executors so far
   */
  @Nullable Cause cause(long nowNs, long ofExecutors) {
    return nowNs < untilNs && changes == ofExecutors ? cause : null;
  }

  /** Returns the sets that jobs have arrived in since, by rank. */
  List<JobSet> arrivedIn() {
    return arrivedIn;
  }
}
