package dev.sluice.analytics.live;

import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.MetricsWindow.Counts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Made-up seconds of a run. */
final class Windows {
  static final long SECOND_NS = 1_000_000_000L;

  private Windows() {}

  /** Seconds from zero on, with jobs of each class, of which some are dropped, or none end. */
  static List<MetricsWindow> random(int count, int jobsMax, List<String> classes, long seed) {
    var random = new Random(seed);
    return IntStream.range(0, count)
        .mapToObj(second -> window(second, jobsMax, classes, random))
        .toList();
  }

  private static MetricsWindow window(
      int second, int jobsMax, List<String> classes, Random random) {
    Map<String, Counts> byClass = new TreeMap<>();
    List<long[]> times = new ArrayList<>();
    long waiting = 0;
    for (String name : classes) {
      long[] done = random.longs(random.nextInt(jobsMax + 1), 100_000, 900_000_000).toArray();
      long waits = random.nextInt(1000);
      waiting += waits;
      times.add(done);
      byClass.put(name, counts(done, random.nextInt(3), random.nextInt(jobsMax + 1), waits));
    }
    long[] all = times.stream().flatMapToLong(Arrays::stream).toArray();
    long dropped = byClass.values().stream().mapToLong(Counts::dropped).sum();
    long requested = byClass.values().stream().mapToLong(Counts::requested).sum();
    return new MetricsWindow(
        second * SECOND_NS,
        (second + 1) * SECOND_NS,
        counts(all, dropped, requested, waiting),
        byClass,
        waiting,
        random.nextInt(64),
        64,
        random.nextDouble(),
        Map.of("tokens", (long) random.nextInt(1_000_000_000), "policy", 17_000_000L),
        (long) random.nextInt(64_000),
        64_000L,
        random.nextDouble() * 5,
        random.nextDouble() * 2,
        new MetricsWindow.Predictions(
            random.nextInt(500), random.nextInt(25), random.nextInt(5), random.nextGaussian() / 9));
  }

  private static Counts counts(long[] doneNs, long dropped, long requested, long waiting) {
    var endToEnd = LatencyHistogram.of(doneNs);
    long[] sorted = doneNs.clone();
    Arrays.sort(sorted);
    return new Counts(
        requested,
        doneNs.length,
        dropped,
        0,
        dropped,
        doneNs.length,
        ms(sorted, 50, dropped),
        ms(sorted, 95, dropped),
        ms(sorted, 99, dropped),
        waiting,
        endToEnd);
  }

  private static Double ms(long[] sorted, int percent, long dropped) {
    double ns =
        dev.sluice.analytics.statistic.NearestRank.percentile(
            sorted, percent, sorted.length + dropped);
    return Double.isFinite(ns) ? Double.valueOf(ns / 1e6) : null;
  }
}
