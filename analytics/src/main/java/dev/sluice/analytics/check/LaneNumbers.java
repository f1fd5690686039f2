package dev.sluice.analytics.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Work of the lanes, cost of the loop, attempts in vain, emulation, spells. */
final class LaneNumbers extends Numbers {
  private static final int SPELL_BATCHES = 20;
  private static final long GRAIN_NS = 1_000;

  private final List<Batch> batches = folder.batches();

  LaneNumbers(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    laneUse();
    hops();
    if (batches.stream().noneMatch(b -> b.result.equals("lost") || b.result.equals("open"))) {
      bubbles(); // else an executor may have begun anew, of which the rows do not tell
    }
    attempts();
    emulation();
    spells();
  }

  /** Service times are exact; only of batches that an edge of the window cuts, a time counts. */
  private void laneUse() {
    double busyNs = 0;
    double offNs = 0;
    for (Batch batch : batches) {
      if (batch.ran()) {
        long startNs = Math.max(batch.startNs, fromNs);
        long endNs = Math.min(batch.endNs, toNs);
        boolean whole = startNs == batch.startNs && endNs == batch.endNs;
        busyNs += whole ? batch.serviceNs : Math.max(0, endNs - startNs);
        boolean apart =
            batch.endNs < fromNs - HALF_GRAIN_NS || batch.startNs > toNs + HALF_GRAIN_NS;
        boolean atEdge = isAtEdge(batch.startNs) || isAtEdge(batch.endNs);
        offNs += apart || (whole && !atEdge) ? 0 : 2 * HALF_GRAIN_NS;
      }
    }
    double allNs = statedNumber("lanes") * windowSeconds() * 1e9;
    equal("lane_use", busyNs / allNs, offNs / allNs);
  }

  private void hops() {
    long roundedNs = roundedNs();
    List<Long> sure = new ArrayList<>();
    List<Long> perhaps = new ArrayList<>();
    for (Job job : measured) {
      long afterNs = job.decidedNs - job.appendedNs - APPEND_GRAIN_NS;
      if (job.isDone() && afterNs < -roundedNs) {
        sure.add(job.waitNs);
      } else if (job.isDone() && afterNs < roundedNs) {
        perhaps.add(job.waitNs);
      }
    }
    distribution("hop", sure, perhaps);
  }

  /** How far rounding may carry a decision's time into the next millisecond. */
  private long roundedNs() {
    boolean inWholeMs =
        folder.jobs().stream()
            .allMatch(job -> job.decidedNs == Row.NONE || job.decidedNs % APPEND_GRAIN_NS == 0);
    return inWholeMs ? 0 : GRAIN_NS;
  }

  /** Idle times that the completion before them ended, while startable work waited. */
  private void bubbles() {
    Map<String, List<Batch>> byLane =
        batches.stream()
            .filter(Batch::ran)
            .sorted(Comparator.comparingLong(batch -> batch.startNs))
            .collect(Collectors.groupingBy(batch -> batch.lane, TreeMap::new, Collectors.toList()));
    Map<Batch, Long> startable = startableFromNs();
    long roundedNs = roundedNs();
    List<Long> sure = new ArrayList<>();
    List<Long> perhaps = new ArrayList<>();
    for (List<Batch> lane : byLane.values()) {
      for (int i = 1; i < lane.size(); i++) {
        Batch before = lane.get(i - 1);
        Batch next = lane.get(i);
        Job first = folder.jobById().get(next.jobIds.get(0));
        long sinceNs =
            Math.min(
                first == null ? Long.MAX_VALUE : first.enqueueNs,
                startable.getOrDefault(next, Long.MAX_VALUE));
        long afterNs = next.decidedNs - before.completedNs - APPEND_GRAIN_NS;
        boolean decidedByIt = before.completedNs != Row.NONE && afterNs < roundedNs;
        boolean tie =
            Math.abs(sinceNs - before.endNs) <= GRAIN_NS || (decidedByIt && afterNs >= -roundedNs);
        boolean atEdge = isAtEdge(before.endNs);
        boolean bubble =
            decidedByIt && sinceNs <= before.endNs + GRAIN_NS && (atEdge || isInside(before.endNs));
        if (bubble) { // rounded, times that are equal may have been the other way round
          (tie || atEdge ? perhaps : sure).add(next.startNs - before.endNs);
        }
      }
    }
    distribution("bubble", sure, perhaps);
  }

  /** Compares count and percentiles of values of which some may not belong to them. */
  private void distribution(String name, List<Long> sure, List<Long> perhaps) {
    int most = sure.size() + perhaps.size();
    between(name + "_count", sure.size(), most, most);
    double stated = statedNumber(name + "_count");
    int count = (int) Math.max(sure.size(), Math.min(most, stated));
    sure.addAll(perhaps);
    long[] sorted = sorted(sure, Long::longValue);
    percentile(name + "_p50_ms", sorted, count, 50);
    percentile(name + "_p99_ms", sorted, count, 99);
  }

  /** Compares a percentile of some of the values: the others may be the least, or the most. */
  private void percentile(String path, long[] sorted, int count, int percent) {
    int rank = (int) rank(count, percent);
    if (rank == 0) {
      equal(path, Double.NaN);
      return;
    }
    double least = sorted[rank - 1] / 1e6;
    double most = sorted[rank - 1 + sorted.length - count] / 1e6;
    between(path, least - TIMES_MS, least, most + TIMES_MS);
  }

  /** Since when some job of a batch, or of one decided later in its shard, could have started. */
  private Map<Batch, Long> startableFromNs() {
    boolean joins = config.joinsJobs();
    long windowNs = Math.round(config.number("microbatch", "window_ms") * 1e6);
    Map<String, Boolean> waits = new HashMap<>();
    Map<Long, Long> earliest = new HashMap<>();
    Map<Batch, Long> startable = new HashMap<>();
    for (int i = batches.size() - 1; i >= 0; i--) {
      Batch batch = batches.get(i);
      for (Job job : batch.jobs) {
        boolean windowed = joins && waits.computeIfAbsent(job.classType, config::sharesBatches);
        earliest.merge(batch.shard, job.enqueueNs + (windowed ? windowNs : 0), Math::min);
      }
      startable.put(batch, earliest.getOrDefault(batch.shard, Long.MAX_VALUE));
    }
    return startable;
  }

  private void attempts() {
    long lost = batches.stream().filter(b -> b.result.equals("lost")).count();
    equal("attempts_lost", (double) lost);
    equal(
        "attempts_unanswered",
        (double) batches.stream().filter(b -> b.result.equals("lost") && !b.isAnswered()).count());
    long superseded = 0;
    for (Batch batch : batches) {
      boolean otherwise =
          batch.jobs.stream()
              .anyMatch(j -> j.observedNs != Row.NONE && !j.batchKey.equals(batch.key));
      boolean ranToItsEnd = batch.ran() && !batch.result.equals("cancelled");
      superseded += ranToItsEnd && otherwise ? 1 : 0;
    }
    equal("superseded_completions", (double) superseded);
  }

  private void emulation() {
    List<Batch> emulated =
        batches.stream().filter(b -> ranWell(b) && b.emulatedNs != Row.NONE).toList();
    long[] errors = sorted(emulated, b -> Math.abs(b.serviceNs - b.emulatedNs));
    equal("emulation_count", errors.length);
    equal("emulation_late_p99_ms", rankMs(errors, 99));
    double[] overLimit =
        sortedReal(
            emulated,
            b -> Math.abs(b.serviceNs - b.emulatedNs) / Math.max(0.02 * b.emulatedNs, 1e6));
    int rank = (int) rank(overLimit.length, 99);
    same("emulation_late", rank == 0 ? null : Boolean.valueOf(overLimit[rank - 1] > 1));
  }

  /** True if a lane ran a batch to its end, even if another attempt had ended its jobs by then. */
  private static boolean ranWell(Batch batch) {
    return batch.isDone() || (batch.result.equals("lost") && batch.ran() && batch.cause.isEmpty());
  }

  private void spells() {
    List<Batch> inOrder = new ArrayList<>(folder.measuredBatches());
    inOrder.removeIf(batch -> batch.serviceNs < 1);
    inOrder.sort(
        Comparator.comparingLong((Batch batch) -> batch.startNs)
            .thenComparingLong(batch -> batch.shard)
            .thenComparingLong(batch -> batch.offset)
            .thenComparingLong(batch -> batch.place));
    boolean varies = false; // by more than a rounded nanosecond
    double largest = 0;
    Map<Batch, Double> offs = new HashMap<>();
    for (List<Batch> alike :
        inOrder.stream().collect(Collectors.groupingBy(LaneNumbers::key)).values()) {
      var times = alike.stream().mapToLong(batch -> batch.serviceNs).summaryStatistics();
      var logs = alike.stream().mapToDouble(LaneNumbers::log).summaryStatistics();
      varies |= times.getMax() - times.getMin() > 1;
      largest = Math.max(largest, logs.getMax());
      if (alike.size() > 1) {
        alike.forEach(batch -> offs.put(batch, log(batch) - logs.getAverage()));
      }
    }
    inOrder.retainAll(varies ? offs.keySet() : Set.of());
    double[] off = inOrder.stream().mapToDouble(batch -> offs.getOrDefault(batch, 0.0)).toArray();
    long[] startsNs = inOrder.stream().mapToLong(batch -> batch.startNs).toArray();
    for (int lag : new int[] {1, 10}) {
      autocorrelation("service_autocorrelation_lag_" + lag, startsNs, off, lag, largest);
    }
  }

  /**
   * Compares a sum of products over a sum of squares. Batches whose starts are equal to the
   * microsecond may have begun in any order: a product lies between the least and the most that
   * their values come to. Each value is a sum of n logarithms, rounded; where that alone can change
   * the figure (service times of seconds differ by a few nanoseconds), nothing is judged.
   */
  private void autocorrelation(
      String path, long[] startsNs, double[] off, int lag, double largestLog) {
    int n = off.length;
    if (n < SPELL_BATCHES) {
      equal(path, Double.NaN);
      return;
    }
    double[] low = off.clone();
    double[] high = off.clone();
    for (int from = 0, to; from < n; from = to) {
      to = from + 1;
      while (to < n && startsNs[to] == startsNs[from]) {
        to++;
      }
      Arrays.fill(low, from, to, Arrays.stream(off, from, to).min().orElseThrow());
      Arrays.fill(high, from, to, Arrays.stream(off, from, to).max().orElseThrow());
    }
    double squares = Arrays.stream(off).map(value -> value * value).sum();
    double least = 0;
    double products = 0;
    double most = 0;
    for (int i = lag; i < n; i++) {
      int j = i - lag;
      double[] ends = {low[i] * low[j], low[i] * high[j], high[i] * low[j], high[i] * high[j]};
      Arrays.sort(ends);
      least += ends[0];
      products += off[i] * off[j];
      most += ends[3];
    }
    double rounding = 4 * n * Math.ulp(largestLog) * Math.sqrt(n / squares);
    if (rounding < 1e-3) {
      between(path, least / squares - rounding, products / squares, most / squares + rounding);
    }
  }

  private static double log(Batch batch) {
    return Math.log((double) batch.serviceNs);
  }

  private static String key(Batch batch) {
    return batch.workload + '\t' + batch.backend + '\t' + batch.precision + '\t' + batch.samples;
  }
}
