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
  private final Map<String, JobSum> byClass = new TreeMap<>();
  private final Map<String, Long> blockedNs = new TreeMap<>();
  private Predictions predictions = Predictions.NONE;
  private @Nullable MetricsWindow last;

  /** True if each window had all that is summed: version 1 has neither histograms nor these. */
  private boolean whole = true;

  /**
   * Jobs of one class, or of all, by what happened to them, summed over windows.
   *
   * @param waiting jobs neither dispatched nor ended at the end of the last window; 0 also where it
   *     does not tell
   * @param violations ended jobs that broke their promise
   * @param endToEnd times of the done jobs, as far as windows tell them
   * @param whole true if each window with a done job tells them; version 1 has no histograms
   */
  public record JobSum(
      long requested,
      long waiting,
      long done,
      long dropped,
      long failed,
      long violations,
      LatencyHistogram endToEnd,
      boolean whole) {
    public static final JobSum NONE = new JobSum(0, 0, 0, 0, 0, 0, LatencyHistogram.EMPTY, true);

    /** This sum with the counts of a further window. */
    public JobSum plus(Counts more) {
      return new JobSum(
          requested + more.requested(),
          more.waiting() == null ? 0 : more.waiting(),
          done + more.done(),
          dropped + more.dropped(),
          failed + more.failed(),
          violations + more.violations(),
          more.endToEnd() == null ? endToEnd : endToEnd.plus(more.endToEnd()),
          whole && (more.endToEnd() != null || more.done() == 0));
    }

    /** The jobs of both, which are of the same windows. */
    JobSum plus(JobSum more) {
      return new JobSum(
          requested + more.requested,
          waiting + more.waiting,
          done + more.done,
          dropped + more.dropped,
          failed + more.failed,
          violations + more.violations,
          endToEnd.plus(more.endToEnd),
          whole && more.whole);
    }

    public long ended() {
      return done + dropped + failed;
    }

    /**
     * A percentile of end-to-end times, nearest rank over the ended jobs, within 1 %.
     *
     * @return null before the first job ended; infinite if it falls on a job that was dropped or
     *     failed
     */
    public @Nullable Double percentileMs(int percent) {
      return ended() == 0 ? null : Double.valueOf(endToEnd.percentileNs(percent, ended()) / 1e6);
    }
  }

  public void add(MetricsWindow window) {
    window.byClass().forEach((name, counts) -> byClass.put(name, sum(name).plus(counts)));
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

  private JobSum sum(String className) {
    return byClass.getOrDefault(className, JobSum.NONE);
  }

  /** End of the last window; 0 before the first. */
  public long throughNs() {
    return last == null ? 0 : last.toNs();
  }

  /** The run at one instant: sums over all windows, and numbers of the end of the last one. */
  public LiveSnapshot snapshot() {
    if (last == null) {
      return LiveSnapshot.NOTHING;
    }
    Map<String, JobSum> classes = new TreeMap<>();
    last.byClass().keySet().forEach(name -> classes.put(name, sum(name)));
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
              JobSum written = sum(entry.getKey());
              JobSum of = entry.getValue();
              return of.requested() > written.requested()
                  || of.dropped() > written.dropped()
                  || of.failed() > written.failed()
                  || of.done() > written.done();
            });
  }

  private long owed(WindowSums own, ToLongFunction<Predictions> count) {
    return Math.max(0, count.applyAsLong(own.predictions) - count.applyAsLong(predictions));
  }

  private static Counts owed(Counts window, JobSum own, JobSum written) {
    LatencyHistogram endToEnd = own.endToEnd().beyond(written.endToEnd());
    return counts(
        window,
        new JobSum(
            Math.max(0, own.requested() - written.requested()),
            0, // as the window says
            endToEnd.count(),
            Math.max(0, own.dropped() - written.dropped()),
            Math.max(0, own.failed() - written.failed()),
            Math.max(0, own.violations() - written.violations()),
            endToEnd,
            true));
  }

  private static Counts total(Counts window, Map<String, Counts> classes) {
    JobSum all = JobSum.NONE;
    for (Counts counts : classes.values()) {
      all = all.plus(counts);
    }
    return counts(window, all);
  }

  /** The window's counts if they are equal, since its percentiles are exact. */
  private static Counts counts(Counts window, JobSum jobs) {
    if (jobs.requested() == window.requested()
        && jobs.dropped() == window.dropped()
        && jobs.failed() == window.failed()
        && jobs.violations() == window.violations()
        && jobs.endToEnd().equals(window.endToEnd())) {
      return window;
    }
    return new Counts(
        jobs.requested(),
        jobs.done(),
        jobs.dropped(),
        jobs.failed(),
        jobs.violations(),
        Math.max(0, jobs.ended() - jobs.violations()),
        finite(jobs.percentileMs(50)),
        finite(jobs.percentileMs(95)),
        finite(jobs.percentileMs(99)),
        window.waiting(),
        jobs.endToEnd());
  }

  private static @Nullable Double finite(@Nullable Double ms) {
    return ms == null || ms.isInfinite() ? null : ms;
  }
}
