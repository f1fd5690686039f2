package dev.sluice.analytics.check.figure;

import dev.sluice.analytics.check.config.LoadTime;
import dev.sluice.analytics.check.folder.Decimal;
import dev.sluice.analytics.check.folder.Job;
import dev.sluice.analytics.check.folder.RunConfig;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The load that was asked for and that came, the generator's lateness, and the queue. */
final class LoadNumbers {
  private static final double LIMIT_MS_MIN = 2;
  private static final double LIMIT_OF_PROMISE = 0.05;
  private static final int JUDGED_JOBS = 20;

  private final Recount recount;
  private final RunConfig config;
  private final List<Job> jobs;

  LoadNumbers(Recount recount) {
    this.recount = recount;
    this.config = recount.folder().config();
    this.jobs = recount.measured();
  }

  void count() {
    recount.equal("warmup_seconds", config.number("warmup_seconds"));
    recount.equal("duration_seconds", config.number("duration_seconds"));
    recount.equal("window_seconds", recount.windowSeconds());
    if (config.at("seed") instanceof Number) {
      recount.equal("seed", config.number("seed"));
    }
    arrivals();
    lateness();
    scenario();
    queue();
  }

  private void arrivals() {
    double rate = config.number("arrival_rate_jobs_per_sec");
    var time = new LoadTime(config);
    boolean asked = recount.isServer() && !config.isReplayed();
    double mean =
        time.isKnown()
            ? time.meanFactor(config.number("warmup_seconds"), config.number("duration_seconds"))
            : 1;
    recount.equal("asked_rate_jobs_sec", asked ? rate * mean : Double.NaN);
    double seconds = recount.windowSeconds();
    recount.equal(
        "realized_rate_jobs_sec", recount.isOffline() ? Double.NaN : jobs.size() / seconds);
    recount.equal("realized_gap_cv", gapVariation(), 1e-4);
    recount.equal("realized_dispersion_1s", recount.isOffline() ? Double.NaN : dispersion(), 1e-9);
  }

  private double gapVariation() {
    int gaps = jobs.size() - 1;
    if (gaps < 2) {
      return Double.NaN;
    }
    double mean = (double) (jobs.get(gaps).enqueueNs - jobs.get(0).enqueueNs) / gaps;
    double squares = 0;
    for (int i = 0; i < gaps; i++) {
      double off = jobs.get(i + 1).enqueueNs - jobs.get(i).enqueueNs - mean;
      squares += off * off;
    }
    return mean == 0 ? Double.NaN : Math.sqrt(squares / (gaps - 1)) / mean;
  }

  private double dispersion() {
    int seconds = (int) Math.min(1e6, Math.floor(recount.windowSeconds()));
    double[] perSecond = new double[Math.max(0, seconds)];
    for (Job job : jobs) {
      long second = (job.enqueueNs - recount.fromNs()) / 1_000_000_000;
      if (second >= 0 && second < seconds) {
        perSecond[(int) second]++;
      }
    }
    double mean = Values.mean(perSecond);
    if (seconds < 2 || !(mean > 0)) {
      return Double.NaN;
    }
    return Arrays.stream(perSecond).map(n -> (n - mean) * (n - mean)).sum() / (seconds - 1) / mean;
  }

  private void lateness() {
    long[] late = Values.sorted(jobs, job -> job.sentNs - job.enqueueNs);
    long[] appended = Values.sorted(jobs, job -> job.appendedNs - job.sentNs);
    for (Map.Entry<String, Integer> rank : Map.of("p50", 50, "p99", 99, "max", 100).entrySet()) {
      recount.equal(
          "lateness_" + rank.getKey() + "_ms",
          Values.rankMs(late, rank.getValue()),
          Recount.TIMES_MS);
      recount.equal(
          "append_delay_" + rank.getKey() + "_ms",
          Values.rankMs(appended, rank.getValue()),
          Recount.TIMES_MS);
    }
    double promiseMs = Double.POSITIVE_INFINITY;
    for (Map.Entry<String, RunConfig> c : config.sectionsByName("classes").entrySet()) {
      double sloMs = c.getValue().number("slo_ms");
      promiseMs =
          Math.min(
              promiseMs,
              !Double.isNaN(sloMs)
                  ? sloMs
                  : jobs.stream()
                      .filter(job -> job.classType.equals(c.getKey()))
                      .mapToDouble(job -> job.sloNs / 1e6)
                      .min()
                      .orElse(Double.POSITIVE_INFINITY));
    }
    double limitMs =
        Math.max(LIMIT_MS_MIN, Double.isInfinite(promiseMs) ? 0 : LIMIT_OF_PROMISE * promiseMs);
    recount.equal("lateness_limit_ms", recount.isOffline() ? Double.NaN : limitMs);
  }

  private void scenario() {
    boolean allDone = jobs.stream().allMatch(Job::isDone) && !jobs.isEmpty();
    double lastSeconds = jobs.stream().mapToLong(job -> job.endNs).max().orElse(0) / 1e9;
    recount.equal(
        "offline_throughput_sps",
        recount.isOffline() && allDone
            ? jobs.stream().mapToLong(job -> job.samples).sum() / lastSeconds
            : Double.NaN,
        1e-3);
    long[] latencies =
        Values.sorted(jobs.stream().filter(Job::isDone).toList(), job -> job.endToEndNs);
    recount.equal(
        "single_stream_p90_e2e_ms",
        config.scenario().equals("single_stream")
            ? Values.rankMs(latencies, jobs.size(), 90)
            : Double.NaN);
  }

  /** Jobs that had arrived and neither started nor ended, over time. */
  private void queue() {
    List<Job> all = recount.folder().jobs();
    long[] in = Values.sorted(all, job -> job.enqueueNs);
    long[] out = Values.sorted(all, LoadNumbers::leftAt);
    long fromNs = recount.fromNs();
    long toNs = recount.toNs();
    boolean told =
        all.stream().allMatch(job -> job.startNs != Decimal.NONE)
            || recount.folder().summary().path("simulated").asBoolean();
    if (!told) {
      return; // a live run's rows do not tell the log time at which a job left the queue unstarted
    }
    long growth = waiting(in, out, toNs) - waiting(in, out, fromNs);
    recount.equal("queue_growth", growth);
    double[] mean = meanAndMax(in, out, fromNs, toNs);
    recount.equal("queue_mean", mean[0], 1e-3);
    recount.equal("queue_max", mean[1], mean[2] - mean[1]);
    boolean judged = jobs.size() >= JUDGED_JOBS && recount.isServer();
    double before = Double.NEGATIVE_INFINITY;
    boolean rises = true;
    for (int i = 0; i < 4; i++) {
      double quarter =
          meanAndMax(
              in, out, fromNs + (toNs - fromNs) * i / 4, fromNs + (toNs - fromNs) * (i + 1) / 4)[0];
      rises &= quarter > before;
      before = quarter;
    }
    recount.same(
        "unstable",
        judged ? Boolean.valueOf(growth > 2 * Math.sqrt(2.0 * jobs.size()) && rises) : null);
  }

  /** Start of the batch that ended the job, else its outcome; never before it arrived. */
  private static long leftAt(Job job) {
    long left = job.startNs != Decimal.NONE ? job.startNs : job.observedNs;
    return left == Decimal.NONE ? Long.MAX_VALUE : Math.max(left, job.enqueueNs);
  }

  private static long waiting(long[] in, long[] out, long atNs) {
    return notAfter(in, atNs) - notAfter(out, atNs);
  }

  private static long notAfter(long[] sorted, long atNs) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] <= atNs) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
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
