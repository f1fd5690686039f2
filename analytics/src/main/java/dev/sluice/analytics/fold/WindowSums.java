package dev.sluice.analytics.fold;

import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.MetricsWindow.Counts;
import dev.sluice.contract.event.MetricsWindow.Predictions;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Sums over windows of a run, in their order. Not thread-safe. */
public final class WindowSums {
  private final Map<String, Sum> byClass = new TreeMap<>();
  private final Map<String, Long> blockedNs = new TreeMap<>();
  private Predictions predictions = Predictions.NONE;
  private @Nullable MetricsWindow last;

  /** True if each window had all that is summed: version 1 has no histograms. */
  private boolean whole = true;

  /** Jobs of one class by what happened to them. */
  private static final class Sum {
    long requested;
    long done;
    long dropped;
    long failed;
    long violations;
    LatencyHistogram endToEnd = LatencyHistogram.EMPTY;
  }

  /** Adds the next window. */
  public void add(MetricsWindow window) {
    window.byClass().forEach((name, counts) -> add(sum(name), counts));
    window.blockedNs().forEach((cause, ns) -> blockedNs.merge(cause, ns, Long::sum));
    Predictions more = window.predictions();
    if (more == null) {
      whole = false;
    } else {
      predictions =
          new Predictions(
              predictions.batches() + more.batches(),
              predictions.beyondP95() + more.beyondP95(),
              predictions.beyondP99() + more.beyondP99(),
              null);
    }
    last = window;
  }

  private void add(Sum sum, Counts counts) {
    sum.requested += counts.requested();
    sum.done += counts.done();
    sum.dropped += counts.dropped();
    sum.failed += counts.failed();
    sum.violations += counts.violations();
    LatencyHistogram endToEnd = counts.endToEnd();
    if (endToEnd == null) {
      whole = false;
    } else {
      sum.endToEnd = sum.endToEnd.plus(endToEnd);
    }
  }

  private Sum sum(String className) {
    return byClass.computeIfAbsent(className, name -> new Sum());
  }

  /** End of the last window; 0 before the first. */
  public long throughNs() {
    return last == null ? 0 : last.toNs();
  }

  /**
   * The run so far: sums over all windows, and numbers of the last window's end. All is of one
   * instant.
   */
  public LiveSnapshot snapshot() {
    if (last == null) {
      return LiveSnapshot.NOTHING;
    }
    Map<String, LiveSnapshot.OfClass> classes = new TreeMap<>();
    last.byClass()
        .forEach(
            (name, counts) -> {
              Sum sum = sum(name);
              Long waiting = counts.waiting();
              classes.put(
                  name,
                  new LiveSnapshot.OfClass(
                      sum.requested,
                      waiting == null ? 0 : waiting,
                      sum.done,
                      sum.dropped,
                      sum.failed,
                      sum.violations,
                      sum.endToEnd));
            });
    return new LiveSnapshot(
        last.toNs(), last.running(), classes, blockedNs, last.tokensInUse(), last.tokens());
  }

  /**
   * The next window to be written behind the windows of this sum, which another process wrote: with
   * it, the sums of both processes are equal. What the other process had not read in time, or had
   * counted in a later second than this process does, is added or taken away here.
   *
   * @param window the next window as this process counts it
   * @param own sums of this process, that window among them
   */
  public MetricsWindow owed(MetricsWindow window, WindowSums own) {
    if (!whole) {
      return window;
    }
    Map<String, Counts> classes = new TreeMap<>();
    window
        .byClass()
        .forEach((name, counts) -> classes.put(name, owed(counts, own.sum(name), sum(name))));
    Map<String, Long> blocked = new TreeMap<>();
    own.blockedNs.forEach(
        (cause, ns) -> {
          long owedNs = ns - blockedNs.getOrDefault(cause, 0L);
          if (owedNs > 0) {
            blocked.put(cause, owedNs);
          }
        });
    return new MetricsWindow(
        window.fromNs(),
        window.toNs(),
        total(window.total(), classes),
        classes,
        window.waiting(),
        window.running(),
        window.lanes(),
        window.laneUse(),
        blocked,
        window.tokensInUse(),
        window.tokens(),
        window.sendLatenessMsMax(),
        window.sendLatenessMsP99(),
        new Predictions(
            owed(own, Predictions::batches),
            owed(own, Predictions::beyondP95),
            owed(own, Predictions::beyondP99),
            window.predictions() == null ? null : window.predictions().medianError()));
  }

  /** True if jobs of this process are in no window that was written. */
  boolean owes(WindowSums own) {
    return own.byClass.entrySet().stream()
        .anyMatch(
            entry -> {
              Sum written = sum(entry.getKey());
              Sum of = entry.getValue();
              return of.requested > written.requested
                  || of.dropped > written.dropped
                  || of.failed > written.failed
                  || of.done > written.done;
            });
  }

  private long owed(WindowSums own, ToLongFunction<Predictions> count) {
    return Math.max(0, count.applyAsLong(own.predictions) - count.applyAsLong(predictions));
  }

  private static Counts owed(Counts window, Sum own, Sum written) {
    LatencyHistogram endToEnd = own.endToEnd.beyond(written.endToEnd);
    long dropped = Math.max(0, own.dropped - written.dropped);
    long failed = Math.max(0, own.failed - written.failed);
    return counts(
        window,
        Math.max(0, own.requested - written.requested),
        dropped,
        failed,
        Math.max(0, own.violations - written.violations),
        endToEnd);
  }

  private static Counts total(Counts window, Map<String, Counts> classes) {
    LatencyHistogram endToEnd = LatencyHistogram.EMPTY;
    for (Counts counts : classes.values()) {
      LatencyHistogram more = counts.endToEnd();
      endToEnd = more == null ? endToEnd : endToEnd.plus(more);
    }
    return counts(
        window,
        sum(classes, Counts::requested),
        sum(classes, Counts::dropped),
        sum(classes, Counts::failed),
        sum(classes, Counts::violations),
        endToEnd);
  }

  private static long sum(Map<String, Counts> classes, ToLongFunction<Counts> count) {
    return classes.values().stream().mapToLong(count).sum();
  }

  /** The window's counts if they are equal, since its percentiles are exact. */
  private static Counts counts(
      Counts window,
      long requested,
      long dropped,
      long failed,
      long violations,
      LatencyHistogram endToEnd) {
    long ended = endToEnd.count() + dropped + failed;
    if (requested == window.requested()
        && dropped == window.dropped()
        && failed == window.failed()
        && violations == window.violations()
        && endToEnd.equals(window.endToEnd())) {
      return window;
    }
    return new Counts(
        requested,
        endToEnd.count(),
        dropped,
        failed,
        violations,
        Math.max(0, ended - violations),
        percentileMs(endToEnd, 50, ended),
        percentileMs(endToEnd, 95, ended),
        percentileMs(endToEnd, 99, ended),
        window.waiting(),
        endToEnd);
  }

  private static @Nullable Double percentileMs(
      LatencyHistogram endToEnd, int percentile, long ended) {
    return ended == 0 ? null : MetricsWindows.finiteMs(endToEnd.percentileNs(percentile, ended));
  }
}
