package dev.sluice.analytics.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.fold.WindowSums.JobSum;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.LatencyBuckets;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.MetricsWindow.Counts;
import dev.sluice.contract.experiment.Experiment.Threshold;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The thresholds of a run. Of a finished one, as its summary has them. Before that, by the seconds
 * since the end of the warm-up, of all jobs: {@code met} or {@code missed} so far, {@code
 * cannot_be_met} where no job that is still to come can change it, {@code open} where nothing is
 * known yet or seconds do not tell the figure.
 */
final class Thresholds {
  private static final double NS_PER_SECOND = 1e9;

  private Thresholds() {}

  /** The thresholds as a finished run's summary has them; an undecided one is open. */
  static ArrayNode of(JsonNode summary) {
    ArrayNode all = Json.array();
    summary
        .path("thresholds")
        .properties()
        .forEach(
            entry -> {
              String result = entry.getValue().path("result").asText();
              ObjectNode one = all.addObject();
              one.put("figure", entry.getKey());
              one.put("bound", entry.getValue().path("bound").asText());
              one.put("state", result.equals("undecided") ? "open" : result);
              one.set("value", entry.getValue().path("value"));
            });
    return all;
  }

  static ArrayNode soFar(RunConfig config, List<MetricsWindow> windows) {
    double warmupNs = config.number(0, "warmup_seconds") * NS_PER_SECOND;
    double endNs = config.number(0, "duration_seconds") * NS_PER_SECOND;
    MetricsWindow before = null;
    for (MetricsWindow window : windows) {
      before = window.toNs() <= warmupNs ? window : before;
    }
    List<MetricsWindow> measured =
        windows.stream().filter(w -> w.fromNs() >= warmupNs && w.toNs() <= endNs).toList();
    ArrayNode all = Json.array();
    long unmeasured = before == null ? 0 : before.waiting() + before.running();
    config
        .thresholds()
        .forEach(
            (figure, threshold) -> {
              var sum = new Sum(config, figure);
              measured.forEach(sum::add);
              Double value = sum.value();
              ObjectNode one = all.addObject();
              one.put("figure", figure);
              one.put("bound", threshold.comparison() + " " + Decimals.plain(threshold.value()));
              one.put(
                  "state",
                  sum.isLost(threshold, unmeasured, config.jobsMax())
                      ? "cannot_be_met"
                      : value == null ? "open" : threshold.holds(value) ? "met" : "missed");
              one.set("value", Json.number(value));
            });
    return all;
  }

  /** What the seconds tell of one figure. */
  private static final class Sum {
    private final @Nullable String classType;
    private final String figure;
    private JobSum jobs = JobSum.NONE;
    private double laneUse;
    private long seconds;

    Sum(RunConfig config, String name) {
      String ofClass = null;
      for (String one : config.classes()) {
        ofClass = name.startsWith(one + "_") ? one : ofClass;
      }
      classType = ofClass;
      figure =
          ofClass != null
              ? name.substring(ofClass.length() + 1)
              : name.startsWith("all_") ? name.substring("all_".length()) : name;
    }

    void add(MetricsWindow window) {
      seconds++;
      laneUse += window.laneUse() == null ? 0 : window.laneUse();
      Counts counts = classType == null ? window.total() : window.byClass().get(classType);
      jobs = counts == null ? jobs : jobs.plus(counts);
    }

    @Nullable Double value() {
      if (seconds == 0) {
        return null;
      }
      return switch (figure) {
        case "count" -> Double.valueOf((double) jobs.requested());
        case "done" -> Double.valueOf((double) jobs.done());
        case "dropped" -> Double.valueOf((double) jobs.dropped());
        case "failed" -> Double.valueOf((double) jobs.failed());
        case "slo_violations" -> Double.valueOf((double) jobs.violations());
        case "slo_violation_rate" ->
            jobs.ended() == 0 ? null : Double.valueOf((double) jobs.violations() / jobs.ended());
        case "throughput_jobs_sec", "overall_throughput_jobs_sec" ->
            Double.valueOf((double) jobs.done() / seconds);
        case "goodput_jobs_sec" ->
            Double.valueOf((double) (jobs.ended() - jobs.violations()) / seconds);
        case "lane_use" -> Double.valueOf(laneUse / seconds);
        case "p50_e2e_ms", "p95_e2e_ms", "p99_e2e_ms" -> jobs.percentileMs(percent());
        default -> null;
      };
    }

    private int percent() {
      return Integer.parseInt(figure.substring(1, 3));
    }

    /**
     * Whether no job to come can meet the threshold; those under way at the warm-up's end may not
     * count.
     */
    boolean isLost(Threshold threshold, long unmeasured, @Nullable Double jobsMax) {
      if (!threshold.isUpper()) {
        return false;
      }
      double bound = threshold.value();
      return switch (figure) {
        case "dropped" -> !threshold.holds((double) Math.max(0, jobs.dropped() - unmeasured));
        case "failed" -> !threshold.holds((double) Math.max(0, jobs.failed() - unmeasured));
        case "slo_violations" ->
            !threshold.holds((double) Math.max(0, jobs.violations() - unmeasured));
        case "slo_violation_rate" ->
            jobsMax != null && jobs.violations() - unmeasured > bound * jobsMax;
        case "p50_e2e_ms", "p95_e2e_ms", "p99_e2e_ms" ->
            jobsMax != null && beyond(bound) - unmeasured > (1 - percent() / 100.0) * jobsMax;
        default -> false;
      };
    }

    /** Jobs that certainly took longer, or are not done. */
    private long beyond(double boundMs) {
      long[] beyond = {jobs.dropped() + jobs.failed()};
      jobs.endToEnd()
          .forEach(
              (index, count) ->
                  beyond[0] += LatencyBuckets.lowerNs(index) > boundMs * 1e6 ? count : 0);
      return beyond[0];
    }
  }
}
