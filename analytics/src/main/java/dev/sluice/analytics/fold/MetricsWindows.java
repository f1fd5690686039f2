package dev.sluice.analytics.fold;

import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts of a run by the second. A late count for a closed second goes to the first open one, so
 * that sums over all windows stay true. Not thread-safe.
 */
public final class MetricsWindows {
  static final long SECOND_NS = 1_000_000_000L;

  private final TreeMap<Long, Second> open = new TreeMap<>();

  /** Jobs of each class that wait at the end of the last closed second. */
  private final TreeMap<String, Long> waiting = new TreeMap<>();

  /** Second that was asked for last; null: none, or it is closed. */
  private @Nullable Second last;

  private long lastAt;
  private long nextSecond;
  private long running;
  private long tokensInUse;

  /**
   * What executors are and do in a stretch of time, over all shards.
   *
   * @param lanes number of lanes that had joined by its end
   * @param tokens memory tokens of the executors that had joined by its end; null: no budget
   * @param busyNs busy time of batches without an end, in it
   */
  public record Machine(int lanes, @Nullable Long tokens, double busyNs) {
    /** Finds the machine of a stretch of time. */
    public interface Source {
      Machine of(long fromNs, long toNs);
    }
  }

  /** Counts of one second. */
  private static final class Second {
    final Map<String, Tally> byClass = new TreeMap<>();
    final Map<String, Long> blockedNs = new TreeMap<>();
    final LongBag latenessNs = new LongBag();
    final List<Double> predictionErrors = new ArrayList<>();
    long beyondP95;
    long beyondP99;
    long runningMore;
    long tokensMore;
    long busyNs;
  }

  /** Counts of jobs by their fate. */
  private static final class Tally {
    final LongBag endToEndNs = new LongBag();
    long requested;
    long dropped;
    long failed;
    long inTime;
    long waitingMore;

    void add(Tally that) {
      requested += that.requested;
      dropped += that.dropped;
      failed += that.failed;
      inTime += that.inTime;
      Arrays.stream(that.endToEndNs.sorted()).forEach(endToEndNs::add);
    }

    MetricsWindow.Counts counts(long waiting) {
      long[] sorted = endToEndNs.sorted();
      long ended = sorted.length + dropped + failed;
      return new MetricsWindow.Counts(
          requested,
          sorted.length,
          dropped,
          failed,
          ended - inTime,
          inTime,
          finiteMs(NearestRank.percentile(sorted, 50, ended)),
          finiteMs(NearestRank.percentile(sorted, 95, ended)),
          finiteMs(NearestRank.percentile(sorted, 99, ended)),
          waiting,
          LatencyHistogram.ofSorted(sorted));
    }
  }

  static @Nullable Double finiteMs(double ns) {
    return Double.isFinite(ns) ? Double.valueOf(ns / 1e6) : null;
  }

  /**
   * Counts a job's request at its log time.
   *
   * @param latenessNs time from its intended arrival to its send call
   */
  public void requested(String classType, long atNs, long latenessNs) {
    waiting.putIfAbsent(classType, 0L);
    Second second = at(atNs);
    Tally tally = tally(second, classType);
    tally.requested++;
    tally.waitingMore++;
    second.latenessNs.add(latenessNs);
  }

  /** Adds to the numbers of a class's jobs that wait, and of jobs that run, from a time on. */
  public void moved(String classType, long atNs, int waitingMore, int runningMore) {
    Second second = at(atNs);
    tally(second, classType).waitingMore += waitingMore;
    second.runningMore += runningMore;
  }

  /** Counts a job's end, which {@link #moved} does not know. */
  public void ended(
      String classType, long atNs, JobEnded.Status status, long endToEndNs, boolean inTime) {
    Tally tally = tally(at(atNs), classType);
    switch (status) {
      case DONE -> tally.endToEndNs.add(endToEndNs);
      case DROPPED -> tally.dropped++;
      case FAILED -> tally.failed++;
    }
    tally.inTime += inTime ? 1 : 0;
  }

  /** Adds to the memory tokens that dispatched jobs hold from a time on. */
  public void tokensHeld(long atNs, long tokensMore) {
    at(atNs).tokensMore += tokensMore;
  }

  /**
   * Counts a batch that had a prediction.
   *
   * @param atNs log time of its end
   * @param error (actual − predicted) / predicted service time
   */
  public void predicted(long atNs, double error, boolean beyondP95, boolean beyondP99) {
    Second second = at(atNs);
    second.predictionErrors.add(error);
    second.beyondP95 += beyondP95 ? 1 : 0;
    second.beyondP99 += beyondP99 ? 1 : 0;
  }

  /** Adds a lane's busy time; its part in closed seconds is left out. */
  public void busy(long fromNs, long toNs) {
    long startNs = Math.max(fromNs, nextSecond * SECOND_NS);
    while (startNs < toNs) {
      long endNs = Math.min(toNs, (startNs / SECOND_NS + 1) * SECOND_NS);
      at(startNs).busyNs += endNs - startNs;
      startNs = endNs;
    }
  }

  /** Adds a time for which lanes stood idle while work waited. */
  public void blocked(long fromNs, long toNs, String cause) {
    long startNs = Math.max(0, fromNs);
    while (startNs < toNs) {
      long openNs = Math.max(startNs, nextSecond * SECOND_NS);
      long endNs = Math.min(toNs, (openNs / SECOND_NS + 1) * SECOND_NS);
      at(startNs).blockedNs.merge(cause, endNs - startNs, Long::sum); // with what comes too late
      startNs = endNs;
    }
  }

  /** Closes the windows that end by the given time, and returns them in their order. */
  public List<MetricsWindow> closeThrough(long untilNs, Machine.Source machines) {
    List<MetricsWindow> closed = new ArrayList<>();
    while ((nextSecond + 1) * SECOND_NS <= untilNs) {
      last = null;
      Second second = open.containsKey(nextSecond) ? open.remove(nextSecond) : new Second();
      second.byClass.forEach((name, tally) -> waiting.merge(name, tally.waitingMore, Long::sum));
      running += second.runningMore;
      tokensInUse += second.tokensMore;
      closed.add(window(second, machines));
      nextSecond++;
    }
    return closed;
  }

  private MetricsWindow window(Second second, Machine.Source machines) {
    long fromNs = nextSecond * SECOND_NS;
    long toNs = fromNs + SECOND_NS;
    var total = new Tally();
    second.byClass.values().forEach(total::add);
    Map<String, MetricsWindow.Counts> byClass = new TreeMap<>();
    waiting.forEach(
        (name, jobs) ->
            byClass.put(name, second.byClass.getOrDefault(name, new Tally()).counts(jobs)));
    long waitingInAll = waiting.values().stream().mapToLong(Long::longValue).sum();
    Machine machine = machines.of(fromNs, toNs);
    int lanes = machine.lanes();
    double busyNs = second.busyNs + machine.busyNs();
    long[] lateness = second.latenessNs.sorted();
    return new MetricsWindow(
        fromNs,
        toNs,
        total.counts(waitingInAll),
        byClass,
        waitingInAll,
        running,
        lanes,
        lanes == 0 ? null : Double.valueOf(Math.min(1, busyNs / SECOND_NS / lanes)),
        second.blockedNs,
        machine.tokens() == null ? null : Long.valueOf(tokensInUse),
        machine.tokens(),
        finiteMs(NearestRank.percentile(lateness, 100)),
        finiteMs(NearestRank.percentile(lateness, 99)),
        predictions(second));
  }

  private static MetricsWindow.Predictions predictions(Second second) {
    double[] errors = second.predictionErrors.stream().mapToDouble(e -> e).sorted().toArray();
    return new MetricsWindow.Predictions(
        errors.length,
        second.beyondP95,
        second.beyondP99,
        errors.length == 0
            ? null
            : Double.valueOf(errors[Math.toIntExact(NearestRank.of(50, errors.length)) - 1]));
  }

  /** End of the last second that has a count. */
  public long lastEndNs() {
    return ((open.isEmpty() ? nextSecond - 1 : open.lastKey()) + 1) * SECOND_NS;
  }

  private static Tally tally(Second second, String classType) {
    return second.byClass.computeIfAbsent(classType, name -> new Tally());
  }

  private Second at(long ns) {
    long at = Math.max(nextSecond, ns / SECOND_NS);
    Second second = last;
    if (second == null || at != lastAt) {
      second = open.computeIfAbsent(at, s -> new Second());
      last = second;
      lastAt = at;
    }
    return second;
  }
}
