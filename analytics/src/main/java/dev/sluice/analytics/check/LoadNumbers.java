package dev.sluice.analytics.check;

import dev.sluice.analytics.check.DrawnList.LoadTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The load that was asked for and that came, the generator's lateness, and the queue. */
final class LoadNumbers extends Numbers {
  private static final double LIMIT_MS_MIN = 2;
  private static final double LIMIT_OF_PROMISE = 0.05;
  private static final int JUDGED_JOBS = 20;
  private static final long NS_PER_SECOND = 1_000_000_000;

  LoadNumbers(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    equal("warmup_seconds", config.number("warmup_seconds"));
    equal("duration_seconds", config.number("duration_seconds"));
    equal("window_seconds", windowSeconds());
    if (config.at("seed") instanceof Number) {
      equal("seed", config.number("seed"));
    }
    arrivals();
    lateness();
    scenario();
    queue();
  }

  private void arrivals() {
    double rate = config.number("arrival_rate_jobs_per_sec");
    var time = new LoadTime(config);
    boolean asked = isServer() && !config.isReplayed();
    double mean =
        time.isKnown()
            ? time.meanFactor(config.number("warmup_seconds"), config.number("duration_seconds"))
            : 1;
    equal("asked_rate_jobs_sec", asked ? rate * mean : Double.NaN);
    double seconds = windowSeconds();
    equal("realized_rate_jobs_sec", isOffline() ? Double.NaN : measured.size() / seconds);
    gapVariation();
    dispersion();
  }

  /**
   * Each gap is off by less than a microsecond, so their standard deviation by at most that of such
   * errors, √(n / (n − 1)) µs, and their mean by at most 1 µs / n.
   */
  private void gapVariation() {
    int gaps = measured.size() - 1;
    if (gaps < 2) {
      equal("realized_gap_cv", Double.NaN);
      return;
    }
    double mean = (double) (measured.get(gaps).enqueueNs - measured.get(0).enqueueNs) / gaps;
    double squares = 0;
    for (int i = 0; i < gaps; i++) {
      double off = measured.get(i + 1).enqueueNs - measured.get(i).enqueueNs - mean;
      squares += off * off;
    }
    double deviation = Math.sqrt(squares / (gaps - 1));
    double grainNs = isOffline() ? 0 : 2 * HALF_GRAIN_NS;
    double offMean = grainNs / gaps;
    double offDeviation = grainNs * Math.sqrt(gaps / (gaps - 1.0));
    if (mean == 0 && grainNs == 0) {
      equal("realized_gap_cv", Double.NaN);
    } else if (mean > offMean) { // else all arrived within a microsecond, and the rows tell nothing
      between(
          "realized_gap_cv",
          Math.max(0, deviation - offDeviation) / (mean + offMean),
          deviation / mean,
          (deviation + offDeviation) / (mean - offMean));
    }
  }

  /**
   * Variance over mean of the counts of whole seconds. A job that was rounded to a second's edge
   * may belong to the second before. If y of them do, at the edge after a second with n jobs and
   * before one with m, the sum of squares changes by 2 y (n − m) and, for each second, by the
   * square of what it gained less what it lost: by at most 2 y² for each edge, by 0 at least.
   */
  private void dispersion() {
    int seconds = (int) Math.min(1e6, Math.floor(windowSeconds()));
    if (isOffline() || seconds < 2) {
      equal("realized_dispersion_1s", Double.NaN);
      return;
    }
    double[] perSecond = new double[seconds + 1]; // the last: what is left of the window
    double[] atEdge = new double[seconds + 1]; // of those, meant for its very beginning
    boolean whole = toNs - fromNs == seconds * NS_PER_SECOND;
    for (Job job : measured) {
      long sinceNs = job.enqueueNs - fromNs;
      int second =
          (int)
              Math.max(0, Math.min(whole ? seconds - 1 : seconds, (sinceNs + 499) / NS_PER_SECOND));
      perSecond[second]++;
      if (second > 0 && isAt(sinceNs, second * NS_PER_SECOND)) {
        atEdge[second]++;
      }
    }
    double count = Arrays.stream(perSecond, 0, seconds).sum();
    double squares = 0;
    double least = 0;
    double most = 0;
    for (int i = 0; i < seconds; i++) {
      squares += perSecond[i] * perSecond[i];
      double gained = atEdge[i + 1];
      double moved = 2 * gained * (perSecond[i] - (i + 1 < seconds ? perSecond[i + 1] : 0));
      least += Math.min(0, moved);
      most += Math.max(0, moved + 2 * gained * gained); // convex: greatest for none or for all
    }
    double mostCount = count + atEdge[seconds];
    if (mostCount == 0) {
      equal("realized_dispersion_1s", Double.NaN);
    } else if (count > 0) { // else the one job of the window may lie in it, or not
      between(
          "realized_dispersion_1s",
          dispersion(squares + least, mostCount, seconds),
          dispersion(squares, count, seconds),
          dispersion(squares + most, count, seconds));
    }
  }

  private static double dispersion(double squares, double count, int seconds) {
    return (seconds * squares / count - count) / (seconds - 1);
  }

  private void lateness() {
    long[] late = sorted(measured, job -> job.sentNs - job.enqueueNs);
    long[] appended = sorted(measured, job -> job.appendedNs - job.sentNs);
    for (Map.Entry<String, Integer> rank :
        new TreeMap<>(Map.of("p50", 50, "p99", 99, "max", 100)).entrySet()) {
      equal("lateness_" + rank.getKey() + "_ms", rankMs(late, rank.getValue()), TIMES_MS);
      equal("append_delay_" + rank.getKey() + "_ms", rankMs(appended, rank.getValue()), TIMES_MS);
    }
    double promiseMs =
        config.sectionsByName("classes").keySet().stream()
            .mapToDouble(this::promiseMs)
            .min()
            .orElse(Double.POSITIVE_INFINITY);
    double limitMs =
        Math.max(LIMIT_MS_MIN, Double.isInfinite(promiseMs) ? 0 : LIMIT_OF_PROMISE * promiseMs);
    equal("lateness_limit_ms", isOffline() ? Double.NaN : limitMs);
  }

  private double promiseMs(String className) {
    double sloMs = config.number("classes", className, "slo_ms");
    return Double.isNaN(sloMs)
        ? measured.stream()
            .filter(job -> job.classType.equals(className))
            .mapToDouble(job -> job.sloNs / 1e6)
            .min()
            .orElse(Double.POSITIVE_INFINITY)
        : sloMs;
  }

  private void scenario() {
    boolean allDone = measured.stream().allMatch(Job::isDone) && !measured.isEmpty();
    double lastSeconds = measured.stream().mapToLong(job -> job.endNs).max().orElse(0) / 1e9;
    double samples = measured.stream().mapToLong(job -> job.samples).sum();
    double offSeconds = HALF_GRAIN_NS / 1e9;
    if (isOffline() && allDone) {
      between(
          "offline_throughput_sps",
          samples / (lastSeconds + offSeconds),
          samples / lastSeconds,
          samples / Math.max(0, lastSeconds - offSeconds));
    } else {
      equal("offline_throughput_sps", Double.NaN);
    }
    long[] latencies =
        sorted(measured.stream().filter(Job::isDone).toList(), job -> job.endToEndNs);
    equal(
        "single_stream_p90_e2e_ms",
        config.scenario().equals("single_stream")
            ? rankMs(latencies, measured.size(), 90)
            : Double.NaN);
  }

  /** Jobs that had arrived and neither started nor ended, over time. */
  private void queue() {
    List<Job> all = folder.jobs();
    long[] in = sorted(all, job -> job.enqueueNs);
    long[] out = sorted(all, LoadNumbers::leftAt);
    boolean inWholeMs =
        all.stream().anyMatch(job -> job.decidedNs != Row.NONE) // else the rows do not tell
            && all.stream()
                .allMatch(
                    job ->
                        !job.reason.startsWith("policy: ")
                            && (job.decidedNs == Row.NONE || job.decidedNs % 1_000_000 == 0));
    boolean told =
        all.stream().allMatch(job -> job.startNs != Row.NONE)
            || (inWholeMs && folder.summary().path("simulated").asBoolean());
    if (!told) {
      return; // rows tell the time at which an unstarted job left the queue in whole ms of a log
    }
    double growth = waiting(in, 0, out, 0, toNs) - waiting(in, 0, out, 0, fromNs);
    long grainNs = isOffline() ? 0 : HALF_GRAIN_NS; // offline jobs come at 0
    double least =
        waiting(in, -grainNs, out, HALF_GRAIN_NS, toNs)
            - waiting(in, grainNs, out, -HALF_GRAIN_NS, fromNs);
    double most =
        waiting(in, grainNs, out, -HALF_GRAIN_NS, toNs)
            - waiting(in, -grainNs, out, HALF_GRAIN_NS, fromNs);
    between("queue_growth", least, growth, most);
    double[] mean = meanAndMax(in, out, fromNs, toNs);
    double offMean = offMean();
    equal("queue_mean", mean[0], offMean);
    // the end of an interrupted run's window has nanoseconds, and its last arrival has none
    double[] sure = meanAndMax(in, out, fromNs + HALF_GRAIN_NS, toNs - HALF_GRAIN_NS + 1);
    between("queue_max", sure[1], mean[1], sure[2] + at(in, toNs) + at(out, fromNs));
    boolean judged = measured.size() >= JUDGED_JOBS && isServer();
    double before = Double.NEGATIVE_INFINITY;
    double smallestRise = Double.POSITIVE_INFINITY;
    for (int i = 0; i < 4; i++) {
      double quarter =
          meanAndMax(
              in, out, fromNs + (toNs - fromNs) * i / 4, fromNs + (toNs - fromNs) * (i + 1) / 4)[0];
      smallestRise = Math.min(smallestRise, quarter - before);
      before = quarter;
    }
    double limit = 2 * Math.sqrt(2.0 * measured.size());
    boolean surely = least > limit && smallestRise > 8 * offMean;
    boolean perhaps = most > limit && smallestRise > -8 * offMean;
    if (!judged || surely == perhaps) { // else rounding decides, and the rows do not tell
      same("unstable", judged ? Boolean.valueOf(surely) : null);
    }
  }

  /** By how much a mean over the window may be off: each job's wait within it by a microsecond. */
  private double offMean() {
    long waited =
        folder.jobs().stream()
            .filter(job -> job.enqueueNs <= toNs + HALF_GRAIN_NS)
            .filter(job -> leftAt(job) >= fromNs - HALF_GRAIN_NS)
            .count();
    return 2.0 * HALF_GRAIN_NS * waited / (toNs - fromNs);
  }

  /** Start of the batch that ended the job, else its outcome; never before it arrived. */
  private static long leftAt(Job job) {
    long left = job.startNs != Row.NONE ? job.startNs : job.observedNs;
    return left == Row.NONE ? Long.MAX_VALUE : Math.max(left, job.enqueueNs);
  }

  /**
   * Jobs that wait if arrivals up to some time after an instant count, and leaves up to another.
   */
  private static double waiting(long[] in, long inNs, long[] out, long outNs, long atNs) {
    return (double) notAfter(in, atNs + inNs) - notAfter(out, atNs + outNs);
  }

  /** Times that were rounded to about an instant, and may have lain on its other side. */
  private static double at(long[] sorted, long atNs) {
    return (double) notAfter(sorted, atNs + HALF_GRAIN_NS)
        - notAfter(sorted, atNs - HALF_GRAIN_NS - 1);
  }

  private static long notAfter(long[] sorted, long atNs) {
    return Arrays.stream(sorted).takeWhile(ns -> ns <= atNs).count();
  }

  /** Mean, maximum, and the maximum if of equal times arrivals came first. */
  private static double[] meanAndMax(long[] in, long[] out, long fromNs, long toNs) {
    int i = (int) notAfter(in, fromNs);
    int o = (int) notAfter(out, fromNs);
    long atNs = fromNs;
    double area = 0;
    long most = (long) i - o;
    long mostAtOnce = most;
    while (true) {
      long nextNs =
          Math.min(
              i < in.length ? in[i] : Long.MAX_VALUE, o < out.length ? out[o] : Long.MAX_VALUE);
      area += (double) (i - o) * (Math.min(nextNs, toNs) - atNs);
      if (nextNs >= toNs) {
        return new double[] {area / (toNs - fromNs), most, mostAtOnce};
      }
      while (i < in.length && in[i] == nextNs) {
        i++;
      }
      mostAtOnce = Math.max(mostAtOnce, (long) i - o);
      while (o < out.length && out[o] == nextNs) {
        o++;
      }
      most = Math.max(most, (long) i - o);
      atNs = nextNs;
    }
  }
}
