package dev.sluice.analytics.fold;

import java.util.Map;
import java.util.TreeMap;

/** Numbers of jobs at an instant that moves forward. A change of a later time waits for it. */
final class JobCounts {
  private final TreeMap<Long, Change> later = new TreeMap<>();
  private final Change now = new Change();

  private static final class Change {
    long requested;
    long waiting;
    long running;

    void add(long requestedMore, long waitingMore, long runningMore) {
      requested += requestedMore;
      waiting += waitingMore;
      running += runningMore;
    }
  }

  /** Adds to the numbers of jobs from a time on; from now on, if that time is over. */
  void changed(long atNs, int requestedMore, int waitingMore, int runningMore) {
    later.computeIfAbsent(atNs, at -> new Change()).add(requestedMore, waitingMore, runningMore);
  }

  /** Moves the instant; an earlier one has no effect. */
  void moveTo(long atNs) {
    Map<Long, Change> due = later.headMap(atNs, true);
    due.values().forEach(change -> now.add(change.requested, change.waiting, change.running));
    due.clear();
  }

  /** Jobs requested since time zero. */
  long requested() {
    return now.requested;
  }

  long waiting() {
    return now.waiting;
  }

  long running() {
    return now.running;
  }
}
