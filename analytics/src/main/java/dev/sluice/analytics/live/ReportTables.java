package dev.sluice.analytics.live;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.live.Html.TableCell;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.event.MetricsWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

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
  private static final List<String> OVER_TIME_HEADINGS =
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
          "lane use");

  private final Run run;
  private final JsonNode summary;
  private final List<MetricsWindow> windows;
  private final Html html = new Html();

  private ReportTables(Run run, JsonNode summary, List<MetricsWindow> windows) {
    this.run = run;
    this.summary = summary;
    this.windows = windows;
  }

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
    lines.subList(0, notes).forEach(line -> html.paragraph("note", line));
    html.element("h2", lines.get(notes)).element("p", verdict());
    List<String> reasons = Json.texts(summary.path("not_comparable"));
    if (!reasons.isEmpty()) {
      html.raw("<p class=\"note\"><b>not comparable</b> with other runs:</p>\n").list(reasons);
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
    List<String> reasons = Json.texts(summary.path("verdict_reasons"));
    reasons.removeIf(reason -> reason.startsWith(Summary.NOT_COMPARABLE_BECAUSE));
    return reasons.isEmpty() ? "" : ": " + String.join("; ", reasons);
  }

  private void thresholds() {
    if (summary.path("thresholds").isEmpty()) {
      return;
    }
    List<List<TableCell>> rows = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : summary.path("thresholds").properties()) {
      JsonNode value = entry.getValue().path("value");
      rows.add(
          List.of(
              TableCell.words(entry.getKey()),
              TableCell.words(entry.getValue().path("bound").asText()),
              exact(value, number(value, "none")),
              TableCell.words(entry.getValue().path("result").asText())));
    }
    html.table("Thresholds", List.of("figure", "bound", "value", "result"), rows);
  }

  private void classes() {
    List<List<TableCell>> rows = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : summary.path("by_class_workload").properties()) {
      rows.add(jobs(entry.getKey(), name -> summary.path(entry.getKey() + "_" + name)));
    }
    rows.add(jobs("all", name -> summary.path("all_" + name)));
    html.table("Measured jobs by class", headings("class"), rows);
    html.element(
        "p",
        "Times from the intended arrival; none: the percentile falls on a job that was not done;"
            + " *: too few jobs, under "
            + NearestRank.COUNT_FOR_P95
            + " for a p95 and under "
            + NearestRank.COUNT_FOR_P99
            + " for a p99.");
  }

  private void workloads() {
    List<List<TableCell>> rows = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : summary.path("by_class_workload").properties()) {
      for (Map.Entry<String, JsonNode> workload : one.getValue().properties()) {
        String name = one.getKey() + ", " + workload.getKey();
        rows.add(jobs(name, figure -> workload.getValue().path(figure)));
      }
    }
    html.table("Measured jobs by class and workload", headings("class, workload"), rows);
  }

  private static List<String> headings(String first) {
    List<String> headings = new ArrayList<>();
    headings.add(first);
    headings.addAll(CLASS_HEADINGS);
    return headings;
  }

  private static List<TableCell> jobs(String title, Function<String, JsonNode> figures) {
    List<TableCell> row = new ArrayList<>(List.of(TableCell.words(title)));
    boolean any = figures.apply("count").asLong() > 0;
    for (String count : List.of("count", "done", "dropped", "failed")) {
      row.add(exact(figures.apply(count), figures.apply(count).asText()));
    }
    for (String percentile : List.of("p50_e2e_ms", "p95_e2e_ms", "p99_e2e_ms")) {
      JsonNode value = figures.apply(percentile);
      boolean few = figures.apply(percentile.substring(0, 3) + "_few_jobs").asBoolean();
      row.add(exact(value, number(value, any ? "none" : "-") + (few ? "*" : "")));
    }
    for (String mean : List.of("avg_wait_ms", "avg_service_ms")) {
      row.add(exact(figures.apply(mean), number(figures.apply(mean), "-")));
    }
    JsonNode rate = figures.apply("slo_violation_rate");
    row.add(
        exact(
            rate,
            rate.isNumber() ? String.format(Locale.ROOT, "%.1f %%", 100 * rate.asDouble()) : "-"));
    JsonNode goodput = figures.apply("goodput_jobs_sec");
    row.add(exact(goodput, number(goodput, "-")));
    return row;
  }

  private static String number(JsonNode value, String missing) {
    if (!value.isNumber()) {
      return missing;
    }
    return value.asDouble() == 0 ? "0" : Decimals.short3(value.asDouble());
  }

  private void overTime() {
    JsonNode points = Points.evenly(windows, OVER_TIME_ROWS).json();
    JsonNode total = points.path("total");
    List<List<TableCell>> rows = new ArrayList<>();
    for (int i = 0; i < points.path("from_s").size(); i++) {
      List<JsonNode> whole = new ArrayList<>();
      whole.add(points.path("from_s").path(i));
      whole.add(points.path("span_s").path(i));
      for (String name : List.of("requested", "done", "dropped", "failed", "violations")) {
        whole.add(total.path(name).path(i));
      }
      whole.add(points.path("waiting").path(i));
      List<TableCell> row = new ArrayList<>();
      whole.forEach(value -> row.add(TableCell.words(value.asText())));
      for (String name : List.of("p50_ms", "p95_ms", "p99_ms")) {
        JsonNode value = total.path(name).path(i);
        row.add(
            TableCell.words(value.isTextual() ? "none" : value.isNull() ? "-" : value.asText()));
      }
      JsonNode use = points.path("lane_use").path(i);
      row.add(TableCell.words(use.isNumber() ? Math.round(100 * use.asDouble()) + " %" : "-"));
      rows.add(row);
    }
    html.table("Over time, all jobs", OVER_TIME_HEADINGS, rows);
  }

  private void figures() {
    List<List<TableCell>> rows = new ArrayList<>();
    summary.properties().forEach(entry -> figure(rows, entry.getKey(), entry.getValue()));
    html.table("All figures", List.of("figure", "value"), rows);
    html.element("p", "As summary.json has them; what each means stands in docs/results.md.");
  }

  private static void figure(List<List<TableCell>> rows, String name, JsonNode value) {
    if (name.equals("by_class_workload") || name.equals("notes") || name.equals("thresholds")) {
      return; // shown above
    }
    if (value.isObject() && !value.isEmpty()) {
      value
          .properties()
          .forEach(entry -> figure(rows, name + "." + entry.getKey(), entry.getValue()));
    } else if (value.isArray() && value.path(0).isObject()) {
      for (int i = 0; i < value.size(); i++) {
        figure(rows, name + "." + i, value.path(i));
      }
    } else {
      rows.add(
          List.of(
              TableCell.words(name),
              exact(value, value.isValueNode() ? plain(value) : joined(value))));
    }
  }

  /** The value as summary.json has it, without an exponent. */
  private static String plain(JsonNode value) {
    return value.isDouble() ? Decimals.plain(value.asDouble()) : value.asText();
  }

  private static String joined(JsonNode list) {
    return list.isEmpty() ? "none" : String.join("; ", Json.texts(list));
  }

  private void provenance() {
    html.element("h3", "Experiment, resolved").element("pre", run.config().yaml());
    html.table(
        "Digests",
        List.of("of", "SHA-256"),
        List.of(
            List.of(
                TableCell.words("experiment"),
                TableCell.words(summary.path("config_digest").asText())),
            List.of(
                TableCell.words("request list"),
                TableCell.words(summary.path("request_digest").asText()))));
  }

  private static TableCell exact(JsonNode value, String shown) {
    return new TableCell("", value.isValueNode() ? value.asText() : "", shown);
  }
}
