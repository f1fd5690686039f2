package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.MeanInterval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Live runs beside simulations of the same requests, figure by figure.
 *
 * <p>With two live runs or more each judged figure has the interval, at 90 %, of the mean of
 * simulated − live (Student's t over the runs), and a verdict: equivalent if it lies within the
 * margin either side of 0, different if wholly outside, else undecided: more runs are needed. The
 * margin of a latency is a share of the live mean (5 % on emulated lanes, 10 % on real ones) or, if
 * that is more and all runs had the same requests, the mean distance between two live runs; that of
 * goodput, as a share of the jobs, 2 points. Figures without a margin are shown, not judged.
 */
public final class Agreement {
  static final double CONFIDENCE = 0.9;

  private static final TextTable TABLE = new TextTable("%-32s %9s %9s %11s  %-22s %9s %8s  %s");
  private static final double SHARE_EMULATED = 0.05;
  private static final double SHARE_REAL = 0.1;
  private static final double POINTS = 2;
  private static final String VIOLATION_RATE = "_slo_violation_rate";
  private static final List<String> LATENCIES = List.of("_p50_e2e_ms", "_p99_e2e_ms");
  private static final List<String> SHOWN =
      List.of(
          "all_avg_wait_ms",
          "all_avg_service_ms",
          "overall_throughput_jobs_sec",
          "lane_use",
          "hop_p50_ms",
          "hop_p99_ms",
          "bubble_p50_ms",
          "bubble_p99_ms",
          "service_autocorrelation_lag_1",
          "service_autocorrelation_lag_10");

  /** Verdict on the agreement of live and simulated in one figure. */
  public enum Judgement {
    EQUIVALENT,
    DIFFERENT,
    UNDECIDED;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A figure of all runs.
   *
   * @param difference simulated − live, over the runs; of one run its interval is NaN
   * @param liveAgainstLive mean distance between two live runs; NaN of one run
   * @param margin NaN: the figure is not judged
   * @param judgement null: the figure is not judged, or there was one run
   */
  record Line(
      String figure,
      double live,
      double simulated,
      MeanInterval difference,
      double liveAgainstLive,
      double margin,
      @Nullable Judgement judgement) {}

  private final boolean emulated;
  private final int runs;
  private final boolean sameRequests;
  private final List<Line> lines = new ArrayList<>();

  /**
   * Compares live runs with their simulations.
   *
   * @param live trees of summary.json, at least one
   * @param simulated trees of the simulations, one for each live run, of its requests
   * @param emulated true if the live lanes waited instead of computing
   */
  public Agreement(List<JsonNode> live, List<JsonNode> simulated, boolean emulated) {
    if (live.isEmpty() || live.size() != simulated.size()) {
      throw new IllegalArgumentException(
          live.size() + " live runs and " + simulated.size() + " simulations");
    }
    this.emulated = emulated;
    runs = live.size();
    sameRequests =
        runs > 1
            && live.stream().map(run -> run.path("request_digest").asText()).distinct().count()
                == 1;
    double share = emulated ? SHARE_EMULATED : SHARE_REAL;
    for (Map.Entry<String, JsonNode> field : live.get(0).properties()) {
      String figure = field.getKey();
      if (figure.contains("_completed_")) {
        continue; // equal where all jobs are done, and no judgement elsewhere
      }
      if (LATENCIES.stream().anyMatch(figure::endsWith)) {
        add(figure, values(live, figure), values(simulated, figure), share, 0);
      } else if (figure.endsWith(VIOLATION_RATE)) {
        add(
            figure.replace(VIOLATION_RATE, "_goodput_percent"),
            kept(values(live, figure)),
            kept(values(simulated, figure)),
            0,
            POINTS);
      } else if (SHOWN.contains(figure)) {
        add(figure, values(live, figure), values(simulated, figure), Double.NaN, Double.NaN);
      }
    }
  }

  /** Values of a figure by run; null if a run has no such number. */
  private static @Nullable List<Double> values(List<JsonNode> runs, String figure) {
    List<Double> values = new ArrayList<>();
    for (JsonNode run : runs) {
      if (!run.path(figure).isNumber()) {
        return null;
      }
      values.add(run.path(figure).doubleValue());
    }
    return values;
  }

  private static @Nullable List<Double> kept(@Nullable List<Double> rates) {
    return rates == null ? null : rates.stream().map(rate -> 100 * (1 - rate)).toList();
  }

  private void add(
      String figure,
      @Nullable List<Double> live,
      @Nullable List<Double> simulated,
      double share,
      double absolute) {
    if (live == null || simulated == null) {
      return;
    }
    List<Double> differences = new ArrayList<>();
    for (int i = 0; i < runs; i++) {
      differences.add(simulated.get(i) - live.get(i));
    }
    double liveMean = mean(live);
    double apart = meanDistance(live);
    double margin = Math.max(share * liveMean, absolute);
    if (share > 0 && sameRequests) {
      margin = Math.max(margin, apart);
    }
    MeanInterval difference = MeanInterval.of(differences, CONFIDENCE, Bounds.NONE);
    lines.add(
        new Line(
            figure,
            liveMean,
            mean(simulated),
            difference,
            apart,
            margin,
            Double.isNaN(margin) || runs < 2 ? null : judge(difference, margin)));
  }

  static Judgement judge(MeanInterval difference, double margin) {
    if (-margin <= difference.low() && difference.high() <= margin) {
      return Judgement.EQUIVALENT;
    }
    return difference.high() < -margin || difference.low() > margin
        ? Judgement.DIFFERENT
        : Judgement.UNDECIDED;
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(v -> v).average().orElse(Double.NaN);
  }

  private static double meanDistance(List<Double> values) {
    double sum = 0;
    int pairs = 0;
    for (int i = 0; i < values.size(); i++) {
      for (int j = 0; j < i; j++) {
        sum += Math.abs(values.get(i) - values.get(j));
        pairs++;
      }
    }
    return sum / pairs;
  }

  List<Line> lines() {
    return List.copyOf(lines);
  }

  /** Subject of an agreement: on emulated lanes it says nothing of a device. */
  private String subject() {
    return emulated
        ? "hop model: live lanes were emulated, so that agreement says nothing of a device"
        : "reality: live lanes computed";
  }

  public String render() {
    var text = new StringBuilder(subject()).append('\n');
    text.append(runs == 1 ? "1 run" : runs + " runs");
    text.append(
        runs == 1
            ? ": too few for a verdict\n"
            : sameRequests
                ? " of the same requests\n"
                : " of different requests, each simulated with its own\n");
    text.append(
        TABLE.row(
            "figure",
            "live",
            "simulated",
            "difference",
            "90 % interval of it",
            "live-live",
            "margin",
            "verdict"));
    text.append('\n');
    for (Line line : lines) {
      Judgement judgement = line.judgement();
      text.append(
          TABLE.row(
              line.figure(),
              Decimals.short3(line.live()),
              Decimals.short3(line.simulated()),
              Decimals.short3(line.difference().mean()),
              runs < 2
                  ? "-"
                  : Decimals.short3(line.difference().low())
                      + " to "
                      + Decimals.short3(line.difference().high()),
              short3(line.liveAgainstLive()),
              short3(line.margin()),
              judgement == null ? "" : judgement.text()));
      text.append('\n');
    }
    return text.toString();
  }

  private static String short3(double value) {
    return Double.isNaN(value) ? "-" : Decimals.short3(value);
  }

  public String toJson() {
    Map<String, @Nullable Object> top = new LinkedHashMap<>();
    top.put("subject", subject());
    top.put("runs", runs);
    top.put("same_requests", sameRequests);
    top.put("confidence", CONFIDENCE);
    Map<String, Object> figures = new LinkedHashMap<>();
    for (Line line : lines) {
      Map<String, @Nullable Object> figure = new LinkedHashMap<>();
      figure.put("live", line.live());
      figure.put("simulated", line.simulated());
      figure.put("difference", line.difference().mean());
      figure.put("low", line.difference().low());
      figure.put("high", line.difference().high());
      figure.put("live_against_live", line.liveAgainstLive());
      figure.put("margin", line.margin());
      Judgement judgement = line.judgement();
      figure.put("verdict", judgement == null ? null : judgement.text());
      figures.put(line.figure(), figure);
    }
    top.put("figures", figures);
    return Summary.json(top);
  }
}
