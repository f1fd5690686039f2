package dev.sluice.harness.serve;

import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.WindowSums.JobSum;
import dev.sluice.contract.event.Blocked.Cause;
import dev.sluice.contract.event.LatencyBuckets;
import dev.sluice.contract.experiment.Experiment.JobClass;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Meters of a run as its log tells it. All figures of a scrape are of one snapshot. */
final class LogMeters implements MultiCollector {
  /** Upper bounds of latencies in seconds, beside the classes' promises. */
  private static final double[] BOUNDS = {
    0.001, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1,
    1.5, 2, 3, 5, 7.5, 10, 20, 30, 60, 120, 300
  };

  private final Supplier<LiveSnapshot> snapshot;
  private final List<JobClass> classes;
  private final double[] bounds;

  LogMeters(Supplier<LiveSnapshot> snapshot, List<JobClass> classes) {
    this.snapshot = snapshot;
    this.classes = List.copyOf(classes);
    NavigableSet<Double> all = new TreeSet<>();
    for (double bound : BOUNDS) {
      all.add(bound);
    }
    for (JobClass of : classes) {
      if (of.sloMs() != null) {
        all.add(of.sloMs() / 1e3);
      }
    }
    all.add(Double.POSITIVE_INFINITY);
    bounds = all.stream().mapToDouble(Double::doubleValue).toArray();
  }

  @Override
  public MetricSnapshots collect() {
    LiveSnapshot now = snapshot.get();
    JobSum total = now.total();
    Double p99Ms = total.percentileMs(99);
    Map<String, JobSum> byClass = new TreeMap<>();
    classes.forEach(
        of -> byClass.put(of.name(), JobSum.NONE)); // each has its series from the start
    byClass.putAll(now.byClass());
    var all =
        MetricSnapshots.builder()
            .metricSnapshot(
                counter("sluice_jobs_requested", "Jobs requested.")
                    .dataPoint(count(Labels.EMPTY, total.requested()))
                    .build())
            .metricSnapshot(
                gauge("sluice_log_jobs_waiting", "Jobs not dispatched.", total.waiting()))
            .metricSnapshot(gauge("sluice_log_jobs_running", "Jobs dispatched.", now.running()))
            .metricSnapshot(
                counter("sluice_outcomes", "Jobs that ended, by status.")
                    .dataPoint(count(Labels.of("status", "done"), total.done()))
                    .dataPoint(count(Labels.of("status", "dropped"), total.dropped()))
                    .dataPoint(count(Labels.of("status", "failed"), total.failed()))
                    .build())
            .metricSnapshot(
                gauge(
                    "sluice_end_to_end_p99_seconds",
                    "99th percentile of intended arrival to end, over all ended jobs.",
                    p99Ms == null ? Double.NaN : p99Ms / 1e3))
            .metricSnapshot(blocked(now.blockedNs()));
    if (now.tokensInUse() != null) {
      all.metricSnapshot(
          gauge(
              "sluice_tokens_in_use",
              "Memory tokens that dispatched jobs hold.",
              now.tokensInUse()));
    }
    var violations =
        counter("sluice_slo_violations", "Ended jobs that broke their promise, by class.");
    var waiting =
        GaugeSnapshot.builder()
            .name("sluice_log_class_jobs_waiting")
            .help("Jobs not dispatched, by class.");
    var endToEnd =
        HistogramSnapshot.builder()
            .name("sluice_end_to_end_seconds")
            .help("Intended arrival to end, by class; jobs that were not done count as infinite.");
    byClass.forEach(
        (name, jobs) -> {
          Labels labels = Labels.of("class", name);
          violations.dataPoint(count(labels, jobs.violations()));
          waiting.dataPoint(
              GaugeDataPointSnapshot.builder()
                  .labels(labels)
                  .value((double) jobs.waiting())
                  .build());
          endToEnd.dataPoint(endToEnd(labels, jobs));
        });
    return all.metricSnapshot(violations.build())
        .metricSnapshot(waiting.build())
        .metricSnapshot(endToEnd.build())
        .build();
  }

  private static CounterSnapshot blocked(Map<String, Long> blockedNs) {
    Map<String, Long> byCause = new LinkedHashMap<>();
    for (Cause cause : Cause.values()) {
      byCause.put(cause.text(), 0L);
    }
    byCause.putAll(blockedNs);
    var blocked =
        counter(
            "sluice_blocked_seconds",
            "Time for which lanes of a shard stood idle while work waited, by cause.");
    byCause.forEach((cause, ns) -> blocked.dataPoint(count(Labels.of("cause", cause), ns / 1e9)));
    return blocked.build();
  }

  private HistogramDataPointSnapshot endToEnd(Labels labels, JobSum jobs) {
    long[] counts = new long[bounds.length];
    double[] sumNs = {0};
    int[] bound = {0};
    jobs.endToEnd()
        .forEach(
            (index, count) -> { // ascending, as the bounds are
              double ns = LatencyBuckets.middleNs(index);
              while (ns > bounds[bound[0]] * 1e9) {
                bound[0]++;
              }
              counts[bound[0]] += count;
              sumNs[0] += ns * count;
            });
    counts[bounds.length - 1] += jobs.dropped() + jobs.failed();
    return HistogramDataPointSnapshot.builder()
        .labels(labels)
        .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts))
        .sum(sumNs[0] / 1e9)
        .build();
  }

  private static CounterSnapshot.Builder counter(String name, String help) {
    return CounterSnapshot.builder().name(name).help(help);
  }

  private static CounterDataPointSnapshot count(Labels labels, Number value) {
    return CounterDataPointSnapshot.builder().labels(labels).value(value.doubleValue()).build();
  }

  private static GaugeSnapshot gauge(String name, String help, Number value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value(value.doubleValue()).build())
        .build();
  }
}
