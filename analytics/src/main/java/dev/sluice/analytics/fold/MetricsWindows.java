package dev.sluice.analytics.fold;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.window.LatencyHistogram;
import dev.sluice.contract.window.MetricsWindow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts of a run by the second. A late count for a closed second goes to the first open one, so
 * that sums over all windows stay true.
 */
final class MetricsWindows {
  private static final long SECOND_NS = 1_000_000_000L;

  private final TreeMap<Long, Second> open = new TreeMap<>();
  private final TreeSet<String> classes = new TreeSet<>();
  private long nextSecond;
  private long waiting;
  private long running;

  /** Counts of one second. */
  private static final class Second {
    final Map<String, Tally> byClass = new TreeMap<>();
    long waitingMore;
    long runningMore;
    long busyNs;
  }

  /** Counts of jobs by their fate. */
  private static final class Tally {
    long requested;
    long done;
    long dropped;
    long failed;
    long inTime;
    private long[] endToEndNs = new long[8];

    void addDone(long ns) {
      int count = Math.toIntExact(done++);
      if (count == endToEndNs.length) {
        endToEndNs = Arrays.copyOf(endToEndNs, 2 * count);
      }
      endToEndNs[count] = ns;
    }

    void add(Tally that) {
      requested += that.requested;
      dropped += that.dropped;
      failed += that.failed;
      inTime += that.inTime;
      for (int i = 0; i < that.done; i++) {
        addDone(that.endToEndNs[i]);
      }
    }

    MetricsWindow.Counts counts() {
      long ended = done + dropped + failed;
      long[] sorted = Arrays.copyOf(endToEndNs, Math.toIntExact(done));
      Arrays.sort(sorted);
      return new MetricsWindow.Counts(
          requested,
          done,
          dropped,
          failed,
          ended - inTime,
          inTime,
          finiteMs(NearestRank.percentile(sorted, 50, ended)),
          finiteMs(NearestRank.percentile(sorted, 95, ended)),
          finiteMs(NearestRank.percentile(sorted, 99, ended)),
          null,
          LatencyHistogram.ofSorted(sorted));
    }

    private static @Nullable Double finiteMs(double ns) {
      return Double.isFinite(ns) ? Double.valueOf(ns / 1e6) : null;
    }
  }

  void requested(String classType, long atNs) {
    classes.add(classType);
    tally(classType, atNs).requested++;
    moved(atNs, 1, 0);
  }

  /** Adds to the numbers of jobs that wait and run from a time on. */
  void moved(long atNs, int waitingMore, int runningMore) {
    Second second = at(atNs);
    second.waitingMore += waitingMore;
    second.runningMore += runningMore;
  }

  /**
   * @param endToEndNs end-to-end time of a done job
   */
  void ended(String classType, long atNs, JobEnded.Status status, long endToEndNs, boolean inTime) {
    Tally tally = tally(classType, atNs);
    switch (status) {
      case DONE -> tally.addDone(endToEndNs);
      case DROPPED -> tally.dropped++;
      case FAILED -> tally.failed++;
    }
    tally.inTime += inTime ? 1 : 0;
  }

  /** Adds a lane's busy time; its part in closed seconds is left out. */
  void busy(long fromNs, long toNs) {
    long startNs = Math.max(fromNs, nextSecond * SECOND_NS);
    while (startNs < toNs) {
      long endNs = Math.min(toNs, (startNs / SECOND_NS + 1) * SECOND_NS);
      at(startNs).busyNs += endNs - startNs;
      startNs = endNs;
    }
  }

  /**
   * Closes the windows that end by the given time, in their order.
   *
   * @param lanes number of lanes that had joined by a time
   * @param busyNs busy time of batches without an end, in a stretch of time
   */
  List<MetricsWindow> closeThrough(
      long untilNs, LanesAt lanes, ToDoubleBiFunction<Long, Long> busyNs) {
    List<MetricsWindow> closed = new ArrayList<>();
    while ((nextSecond + 1) * SECOND_NS <= untilNs) {
      long fromNs = nextSecond * SECOND_NS;
      long toNs = fromNs + SECOND_NS;
      Second second = open.containsKey(nextSecond) ? open.remove(nextSecond) : new Second();
      waiting += second.waitingMore;
      running += second.runningMore;
      int laneCount = lanes.at(toNs);
      double busy = second.busyNs + busyNs.applyAsDouble(fromNs, toNs);
      closed.add(window(second, fromNs, toNs, laneCount, busy));
      nextSecond++;
    }
    return closed;
  }

  private MetricsWindow window(Second second, long fromNs, long toNs, int lanes, double busyNs) {
    var total = new Tally();
    second.byClass.values().forEach(total::add);
    Map<String, MetricsWindow.Counts> byClass = new TreeMap<>();
    for (String name : classes) {
      byClass.put(name, second.byClass.getOrDefault(name, new Tally()).counts());
    }
    return new MetricsWindow(
        fromNs,
        toNs,
        total.counts(),
        byClass,
        waiting,
        running,
        lanes,
        lanes == 0 ? null : Double.valueOf(Math.min(1, busyNs / SECOND_NS / lanes)),
        Map.of(),
        null,
        null,
        null,
        null,
        null);
  }

  /** End of the last second that has a count. */
  long lastEndNs() {
    return ((open.isEmpty() ? nextSecond - 1 : open.lastKey()) + 1) * SECOND_NS;
  }

  private Tally tally(String classType, long atNs) {
    return at(atNs).byClass.computeIfAbsent(classType, name -> new Tally());
  }

  private Second at(long ns) {
    return open.computeIfAbsent(Math.max(nextSecond, ns / SECOND_NS), s -> new Second());
  }

  /** Number of lanes that had joined by a time. */
  interface LanesAt {
    int at(long ns);
  }
}
