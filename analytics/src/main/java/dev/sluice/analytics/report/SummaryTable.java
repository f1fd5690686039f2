package dev.sluice.analytics.report;

import dev.sluice.analytics.figure.LaneFigures;
import dev.sluice.analytics.figure.PredictionFigures.UpperBound;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.experiment.Experiment.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The closing table of a run: text for a terminal of 80 columns, the verdict and the classes first.
 * A percentile that falls on a job without a done outcome is printed as {@code none}, a figure
 * without a value as {@code -}, and a p95 or p99 of too few jobs ends in {@code *}.
 */
public final class SummaryTable {
  private static final List<String> HEADINGS =
      List.of(
          "class",
          "jobs",
          "done",
          "drop",
          "fail",
          "p50 ms",
          "p95 ms",
          "p99 ms",
          "wait ms",
          "over SLO");

  /** Number of reasons that the line "not comparable" shows; summary.json has all of them. */
  private static final int REASONS_SHOWN_MAX = 4;

  private static final Pattern FIGURE = Pattern.compile("\\{([#%]?)(\\w+)}");

  private final Summary summary;
  private final boolean details;
  private final StringBuilder text = new StringBuilder();

  private SummaryTable(Summary summary, boolean details) {
    this.summary = summary;
    this.details = details;
  }

  /**
   * The text, several lines, each ended by a line feed.
   *
   * @param details true to tell of the loop's own costs too: hop, bubble, lateness and spells
   */
  public static String render(Summary summary, boolean details) {
    var table = new SummaryTable(summary, details);
    table.head();
    table.verdict();
    table.line("");
    table.classes();
    table.overall();
    table.marks();
    return table.text.toString();
  }

  private void head() {
    for (Object note : list("notes")) {
      line(ScreenText.wrapped("! ", String.valueOf(note)));
    }
    line(
        ScreenText.wrapped(
            "",
            value("run_name") + ", policy " + value("scheduler_name") + ", " + value("run_id")));
  }

  private void classes() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADINGS);
    map("by_class_workload").keySet().forEach(name -> rows.add(row(String.valueOf(name))));
    rows.add(row("all"));
    text.append(TextTable.fitted(rows, Set.of(0)));
    line("");
  }

  private List<String> row(String name) {
    return List.of(
        name,
        count(name + "_count"),
        count(name + "_done"),
        count(name + "_dropped"),
        count(name + "_failed"),
        number(name + "_p50_e2e_ms"),
        percentile(name, "p95"),
        percentile(name, "p99"),
        number(name + "_avg_wait_ms"),
        percent(name + "_slo_violation_rate"));
  }

  private String percentile(String name, String percentile) {
    return number(name + "_" + percentile + "_e2e_ms") + (few(name, percentile) ? "*" : " ");
  }

  private boolean few(String name, String percentile) {
    return isTrue(name + "_" + percentile + "_few_jobs");
  }

  private void overall() {
    figures(
        "throughput",
        "{overall_throughput_jobs_sec} jobs/s, {overall_throughput_sps} samples/s; goodput"
            + " {all_goodput_jobs_sec} jobs/s");
    figures("lane use", "{%lane_use} of {#lanes} lanes");
    blocked();
    load();
    predictions();
    if (details) {
      details();
    }
  }

  private void details() {
    fact("service", number("all_avg_service_ms") + " ms on average" + byClass("avg_service_ms"));
    fact("hop", overCount("hop", "arrival to start of jobs that found an idle lane"));
    fact("bubble", overCount("bubble", "idle between two batches while work waited"));
    figures(
        "lateness",
        "p50 {lateness_p50_ms} ms, p99 {lateness_p99_ms} ms, max {lateness_max_ms} ms; append delay"
            + " p99 {append_delay_p99_ms} ms");
    spells();
  }

  private String byClass(String figure) {
    return map("by_class_workload").keySet().stream()
        .map(name -> name + " " + number(name + "_" + figure))
        .collect(Collectors.joining(", ", " (", ")"));
  }

  private void load() {
    Object scenario = value("scenario");
    if (Scenario.OFFLINE.key().equals(scenario)) {
      figures(
          "load",
          "offline: all jobs at time zero; {offline_throughput_sps} samples/s to the last end");
    } else if (Scenario.SINGLE_STREAM.key().equals(scenario)) {
      figures(
          "load",
          "single_stream: {realized_rate_jobs_sec} jobs/s, one at a time; latency p90"
              + " {single_stream_p90_e2e_ms} ms");
    } else {
      figures(
          "load",
          "{realized_rate_jobs_sec} jobs/s"
              + (value("asked_rate_jobs_sec") == null ? "" : " of {asked_rate_jobs_sec} asked")
              + " ("
              + value("asked_arrivals")
              + "), gap variation {realized_gap_cv}");
    }
  }

  private void spells() {
    Double lag1 = summary.figure("service_autocorrelation_lag_1");
    Double lag10 = summary.figure("service_autocorrelation_lag_10");
    if (lag1 != null && lag10 != null) {
      fact(
          "service times",
          String.format(
              Locale.ROOT,
              "autocorrelation %.2f at lag 1, %.2f at lag 10 (0: no slow spells)",
              lag1,
              lag10));
    }
  }

  private void predictions() {
    Double error = summary.figure("prediction_error_median");
    Double bias = summary.figure("prediction_bias_median");
    if (error == null || bias == null) {
      return;
    }
    String said =
        String.format(
            Locale.ROOT,
            "off by %.1f %% in the median, too %s by %.1f %%, over %s batches",
            100 * Math.expm1(error),
            bias < 0 ? "long" : "short",
            100 * Math.expm1(Math.abs(bias)),
            count("prediction_count"));
    for (UpperBound bound : UpperBound.values()) {
      Double missRate = summary.figure("prediction_" + bound.text() + "_miss_rate");
      if (missRate != null) {
        said += String.format(Locale.ROOT, "; %s missed by %.2f %%", bound.text(), 100 * missRate);
      }
    }
    fact("predictions", said);
  }

  private void blocked() {
    String causes =
        LaneFigures.CAUSES.stream()
            .filter(cause -> isPositive(LaneFigures.blockedMs(cause)))
            .map(cause -> cause + " " + number(LaneFigures.blockedMs(cause)) + " ms")
            .collect(Collectors.joining(", "));
    if (!causes.isEmpty()) {
      fact("blocked", causes + " (idle lanes beside work that waited, by what held it)");
    }
  }

  private void marks() {
    if (few("all", "p99") || anyClassHasFew()) {
      fact(
          "*",
          "fewer than %d jobs: too few for a p95; than %d: for a p99"
              .formatted(NearestRank.COUNT_FOR_P95, NearestRank.COUNT_FOR_P99));
    }
    if (isTrue("emulation_late")) {
      figures("emulation", "late, p99 {emulation_late_p99_ms} ms off");
    }
    if (isPositive("attempts_lost") || isPositive("superseded_completions")) {
      figures(
          "attempts",
          "{#attempts_lost} lost, of these {#attempts_unanswered} never answered;"
              + " {#superseded_completions} completions superseded");
    }
  }

  /** Whether the run tells something of its policy, each threshold, and the reasons. */
  private void verdict() {
    Verdict verdict = summary.verdict();
    Map<?, ?> thresholds = map("thresholds");
    fact(
        "verdict",
        switch (verdict) {
              case MET ->
                  thresholds.isEmpty() ? "sound, no threshold asked" : "every threshold met";
              case MISSED -> "a threshold missed";
              case INCONCLUSIVE -> "inconclusive: this run tells nothing of its policy";
              case FAILED -> "failed";
            }
            + others());
    thresholds.forEach(
        (name, entry) -> {
          if (entry instanceof Map<?, ?> result) {
            fact("threshold", name + " " + result.get("bound") + ": " + result.get("result"));
          }
        });
    if (value("failure") instanceof String failure) {
      fact("failed", failure);
    }
    List<String> reasons = summary.notComparableReasons();
    if (!reasons.isEmpty()) {
      int shown = Math.min(reasons.size(), REASONS_SHOWN_MAX);
      fact(
          "not comparable",
          String.join("; ", reasons.subList(0, shown))
              + (shown == reasons.size()
                  ? ""
                  : "; and " + (reasons.size() - shown) + " more (summary.json)"));
    }
    if (isTrue("unstable")) {
      fact("unstable", "the queue rose over the whole measured window");
    }
    if (isTrue("tail_limit_reached")) {
      fact("tail limit", "measured jobs still waited when the tail was over");
    }
    for (Object broken : list("broken_promises")) {
      fact("promise", "broken: " + broken);
    }
  }

  /** Reasons of a verdict that no line of its own gives. */
  private String others() {
    Verdict verdict = summary.verdict();
    if (verdict != Verdict.INCONCLUSIVE && verdict != Verdict.FAILED) {
      return "";
    }
    return summary.verdictReasons().stream()
        .filter(reason -> !reason.startsWith(Summary.NOT_COMPARABLE_BECAUSE))
        .filter(reason -> !reason.startsWith("threshold "))
        .limit(REASONS_SHOWN_MAX)
        .map(reason -> "; " + reason)
        .collect(Collectors.joining());
  }

  private boolean anyClassHasFew() {
    return map("by_class_workload").keySet().stream().anyMatch(n -> few(String.valueOf(n), "p99"));
  }

  private void fact(String name, String what) {
    line(ScreenText.labeled("", name, what));
  }

  /**
   * Adds a fact of figures.
   *
   * @param what text with names of figures in braces: with # before it a whole number, with % a
   *     share, without either a number of three digits
   */
  private void figures(String name, String what) {
    fact(
        name,
        FIGURE
            .matcher(what)
            .replaceAll(
                found ->
                    switch (found.group(1)) {
                      case "#" -> count(found.group(2));
                      case "%" -> percent(found.group(2));
                      default -> number(found.group(2));
                    }));
  }

  private void line(String line) {
    text.append(line).append('\n');
  }

  /** Percentiles with their count, of an event that may not have happened at all. */
  private String overCount(String name, String meaning) {
    String count = count(name + "_count");
    return count.equals("0")
        ? "none: no " + meaning
        : "p50 %s ms, p99 %s ms over %s (%s)"
            .formatted(number(name + "_p50_ms"), number(name + "_p99_ms"), count, meaning);
  }

  private @Nullable Object value(String name) {
    return summary.values().get(name);
  }

  private List<?> list(String name) {
    return value(name) instanceof List<?> list ? list : List.of();
  }

  private Map<?, ?> map(String name) {
    return value(name) instanceof Map<?, ?> map ? map : Map.of();
  }

  private boolean isTrue(String name) {
    return Boolean.TRUE.equals(value(name));
  }

  private String count(String name) {
    Double value = summary.figure(name);
    return value == null ? "-" : Long.toString(Math.round(value));
  }

  private String number(String name) {
    Double value = summary.figure(name);
    return value == null ? "-" : Decimals.short3(value);
  }

  private boolean isPositive(String name) {
    Double value = summary.figure(name);
    return value != null && value > 0;
  }

  private String percent(String name) {
    Double share = summary.figure(name);
    return share == null ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }
}
