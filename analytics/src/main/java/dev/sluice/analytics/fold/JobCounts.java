package dev.sluice.analytics.fold;

import java.util.Arrays;

/** Numbers of jobs at an instant that moves forward. A change of a later time waits for it. */
final class JobCounts {
  /** Times of the changes that wait, in the order in which they came. */
  private long[] atNs = new long[1024];

  /** Three numbers a change: more requested, waiting and running jobs. */
  private int[] more = new int[3 * atNs.length];

  private int changes;
  private long requested;
  private long waiting;
  private long running;

  /** Adds to the numbers of jobs from a time on; from now on, if that time is over. */
  void changed(long changedAtNs, int requestedMore, int waitingMore, int runningMore) {
    if (changes == atNs.length) {
      atNs = Arrays.copyOf(atNs, 2 * changes);
      more = Arrays.copyOf(more, 6 * changes);
    }
    keep(changes, changedAtNs, requestedMore, waitingMore, runningMore);
    changes++;
  }

  private void keep(int i, long changedAtNs, int requestedMore, int waitingMore, int runningMore) {
    atNs[i] = changedAtNs;
    more[3 * i] = requestedMore;
    more[3 * i + 1] = waitingMore;
    more[3 * i + 2] = runningMore;
  }

  /** Moves the instant; an earlier one has no effect. */
  void moveTo(long nowNs) {
    int later = 0;
    for (int i = 0; i < changes; i++) {
      int requestedMore = more[3 * i];
      int waitingMore = more[3 * i + 1];
      int runningMore = more[3 * i + 2];
      if (atNs[i] > nowNs) {
        keep(later, atNs[i], requestedMore, waitingMore, runningMore);
        later++;
      } else {
        requested += requestedMore;
        waiting += waitingMore;
        running += runningMore;
      }
    }
    changes = later;
  }

  /** Jobs requested since time zero. */
  long requested() {
    return requested;
  }

  long waiting() {
    return waiting;
  }

  long running() {
    return running;
  }
}
