package dev.sluice.analytics.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.event.MetricsWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a report, which stand without a script: first the lines that every output shows
 * first, last the experiment and the digests. A cell of a figure has its exact value, as
 * summary.json has it, in the attribute {@code data-value}.
 */
final class ReportTables {
  private static final int OVER_TIME_ROWS = 60;
  private static final List<String> CLASS_HEADINGS =
      List.of(
          "jobs",
          "done",
          "dropped",
          "failed",
          "p50 ms",
          "p95 ms",
          "p99 ms",
          "wait ms",
          "service ms",
          "over SLO",
          "goodput /s");

  private final Run run;
  private final JsonNode summary;
  private final List<MetricsWindow> windows;
  private final Html html = new Html();

  private ReportTables(Run run, JsonNode summary, List<MetricsWindow> windows) {
    this.run = run;
    this.summary = summary;
    this.windows = windows;
  }

  /**
   * The tables as HTML.
   *
   * @param summary tree of summary.json
   */
  static String of(Run run, JsonNode summary, List<MetricsWindow> windows) {
    var tables = new ReportTables(run, summary, windows);
    tables.html.raw("<section class=\"report\" aria-label=\"Report\">\n");
    tables.head();
    tables.thresholds();
    tables.classes();
    tables.workloads();
    tables.overTime();
    tables.figures();
    tables.provenance();
    tables.html.raw("</section>\n");
    return tables.html.toString();
  }

  private void head() {
    List<String> lines = run.firstLines();
    int notes = lines.size() - 1;
    lines
        .subList(0, notes)
        .forEach(line -> html.raw("<p class=\"note\">").text(line).raw("</p>\n"));
    html.element("h2", lines.get(notes)).raw("\n<p>").text(verdict()).raw("</p>\n");
    JsonNode reasons = summary.path("not_comparable");
    if (!reasons.isEmpty()) {
      html.raw("<p class=\"note\"><b>not comparable</b> with other runs:</p>\n<ul>");
      reasons.forEach(reason -> html.element("li", reason.asText()));
      html.raw("</ul>\n");
    }
  }

  private String verdict() {
    JsonNode failure = summary.path("failure");
    return switch (summary.path("verdict").asText()) {
      case "met" ->
          summary.path("thresholds").isEmpty() ? "The run is whole." : "Each threshold is met.";
      case "missed" -> "The run is whole, and missed a threshold.";
      case "inconclusive" -> "The run is whole, and tells nothing of its policy" + reasons() + ".";
      default ->
          "The run failed" + (failure.isTextual() ? ": " + failure.asText() : reasons() + ".");
    };
  }

  /** The verdict's reasons that the page does not list as reasons against a comparison. */
  private String reasons() {
    List<String> reasons = new ArrayList<>();
    summary
        .path("verdict_reasons")
        .forEach(
            reason -> {
              if (!reason.asText().startsWith(Summary.NOT_COMPARABLE_BECAUSE)) {
                reasons.add(reason.asText());
              }
            });
    return reasons.isEmpty() ? "" : ": " + String.join("; ", reasons);
  }

  private void thresholds() {
    if (summary.path("thresholds").isEmpty()) {
      return;
    }
    open("Thresholds", List.of("figure", "bound", "value", "result"));
    for (Map.Entry<String, JsonNode> entry : summary.path("thresholds").properties()) {
      JsonNode value = entry.getValue().path("value");
      row(entry.getKey());
      html.element("td", entry.getValue().path("bound").asText());
      cell(value, number(value, "none"));
      html.element("td", entry.getValue().path("result").asText()).raw("</tr>\n");
    }
    close();
  }

  private void classes() {
    open("Measured jobs by class", headings("class"));
    for (Map.Entry<String, JsonNode> entry : summary.path("by_class_workload").properties()) {
      row(entry.getKey());
      jobs(name -> summary.path(entry.getKey() + "_" + name));
    }
    row("all");
    jobs(name -> summary.path("all_" + name));
    close();
    html.raw("<p>Times from the intended arrival; none: the percentile falls on a job that was not")
        .raw(
            " done; *: too few jobs, under "
                + NearestRank.COUNT_FOR_P95
                + " for a p95 and under "
                + NearestRank.COUNT_FOR_P99
                + " for a p99.</p>\n");
  }

  private void workloads() {
    open("Measured jobs by class and workload", headings("class, workload"));
    for (Map.Entry<String, JsonNode> one : summary.path("by_class_workload").properties()) {
      for (Map.Entry<String, JsonNode> workload : one.getValue().properties()) {
        row(one.getKey() + ", " + workload.getKey());
        jobs(name -> workload.getValue().path(name));
      }
    }
    close();
  }

  private static List<String> headings(String first) {
    List<String> headings = new ArrayList<>();
    headings.add(first);
    headings.addAll(CLASS_HEADINGS);
    return headings;
  }

  private interface Figures {
    JsonNode of(String name);
  }

  private void jobs(Figures figures) {
    boolean any = figures.of("count").asLong() > 0;
    for (String count : List.of("count", "done", "dropped", "failed")) {
      cell(figures.of(count), figures.of(count).asText());
    }
    for (String percentile : List.of("p50_e2e_ms", "p95_e2e_ms", "p99_e2e_ms")) {
      boolean few = figures.of(percentile.substring(0, 3) + "_few_jobs").asBoolean();
      cell(
          figures.of(percentile),
          number(figures.of(percentile), any ? "none" : "-") + (few ? "*" : ""));
    }
    cell(figures.of("avg_wait_ms"), number(figures.of("avg_wait_ms"), "-"));
    cell(figures.of("avg_service_ms"), number(figures.of("avg_service_ms"), "-"));
    JsonNode rate = figures.of("slo_violation_rate");
    cell(
        rate, rate.isNumber() ? String.format(Locale.ROOT, "%.1f %%", 100 * rate.asDouble()) : "-");
    cell(figures.of("goodput_jobs_sec"), number(figures.of("goodput_jobs_sec"), "-"));
    html.raw("</tr>\n");
  }

  private static String number(JsonNode value, String missing) {
    if (!value.isNumber()) {
      return missing;
    }
    return value.asDouble() == 0 ? "0" : Decimals.short3(value.asDouble());
  }

  private void overTime() {
    ObjectNode points = Points.evenly(windows, OVER_TIME_ROWS).json();
    open(
        "Over time, all jobs",
        List.of(
            "from s",
            "seconds",
            "requested",
            "done",
            "dropped",
            "failed",
            "late",
            "waiting",
            "p50 ms",
            "p95 ms",
            "p99 ms",
            "lane use"));
    JsonNode total = points.path("total");
    for (int i = 0; i < points.path("from_s").size(); i++) {
      row(points.path("from_s").path(i).asText());
      html.element("td", points.path("span_s").path(i).asText());
      for (String name : List.of("requested", "done", "dropped", "failed", "violations")) {
        html.element("td", total.path(name).path(i).asText());
      }
      html.element("td", points.path("waiting").path(i).asText());
      for (String name : List.of("p50_ms", "p95_ms", "p99_ms")) {
        JsonNode value = total.path(name).path(i);
        html.element("td", value.isTextual() ? "none" : value.isNull() ? "-" : value.asText());
      }
      JsonNode use = points.path("lane_use").path(i);
      html.element("td", use.isNumber() ? Math.round(100 * use.asDouble()) + " %" : "-");
      html.raw("</tr>\n");
    }
    close();
  }

  private void figures() {
    open("All figures", List.of("figure", "value"));
    for (Map.Entry<String, JsonNode> entry : summary.properties()) {
      figure(entry.getKey(), entry.getValue());
    }
    close();
    html.raw("<p>As summary.json has them; what each means stands in docs/results.md.</p>\n");
  }

  private void figure(String name, JsonNode value) {
    if (name.equals("by_class_workload") || name.equals("notes") || name.equals("thresholds")) {
      return; // shown above
    }
    if (value.isObject() && !value.isEmpty()) {
      value.properties().forEach(entry -> figure(name + "." + entry.getKey(), entry.getValue()));
    } else if (value.isArray() && value.path(0).isObject()) {
      for (int i = 0; i < value.size(); i++) {
        figure(name + "." + i, value.path(i));
      }
    } else {
      row(name);
      cell(value, value.isValueNode() ? plain(value) : joined(value));
      html.raw("</tr>\n");
    }
  }

  /** The value as summary.json has it, without an exponent. */
  private static String plain(JsonNode value) {
    return value.isDouble() ? Decimals.plain(value.asDouble()) : value.asText();
  }

  private static String joined(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(one -> texts.add(one.asText()));
    return texts.isEmpty() ? "none" : String.join("; ", texts);
  }

  private void provenance() {
    html.raw("<h3>Experiment, resolved</h3>\n<pre>").text(run.config().yaml()).raw("</pre>\n");
    open("Digests", List.of("of", "SHA-256"));
    row("experiment");
    html.element("td", summary.path("config_digest").asText()).raw("</tr>\n");
    row("request list");
    html.element("td", summary.path("request_digest").asText()).raw("</tr>\n");
    close();
  }

  private void open(String title, List<String> headings) {
    html.raw("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"")
        .text(title)
        .raw("\"><table><caption>")
        .text(title)
        .raw("</caption>\n<thead><tr>");
    headings.forEach(heading -> html.raw("<th scope=\"col\">").text(heading).raw("</th>"));
    html.raw("</tr></thead>\n<tbody>\n");
  }

  private void close() {
    html.raw("</tbody></table></div>\n");
  }

  private void row(String name) {
    html.raw("<tr><th scope=\"row\">").text(name).raw("</th>");
  }

  private void cell(@Nullable JsonNode value, String shown) {
    html.raw("<td data-value=\"")
        .text(
            value == null || value.isMissingNode() ? "" : value.isValueNode() ? value.asText() : "")
        .raw("\">")
        .text(shown)
        .raw("</td>");
  }
}
