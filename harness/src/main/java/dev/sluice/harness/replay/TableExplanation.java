package dev.sluice.harness.replay;

import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What trace.csv and dispatches.csv tell of a job, and what they lack.
 *
 * @param job row of the job in trace.csv, by column
 * @param dispatches rows of its dispatches in dispatches.csv, by decision
 */
record TableExplanation(Map<String, String> job, List<Map<String, String>> dispatches) {
  /** What only a log tells. */
  private static final List<String> LACKS =
      List.of(
          "why it waited, by reason",
          "who overtook it",
          "how many jobs could have shared its batch",
          "times below a microsecond");

  /** Times of a job in their order: the column, and the part of its life that ends there. */
  private static final List<String[]> PARTS =
      List.of(
          new String[] {"sent_time", "late"},
          new String[] {"appended_time", "to_log"},
          new String[] {"decided_time", "waits_and_earlier_attempts"},
          new String[] {"start_time", "to_start"},
          new String[] {"end_time", "runs"});

  TableExplanation {
    job = Collections.unmodifiableMap(new LinkedHashMap<>(job));
    dispatches = List.copyOf(dispatches);
  }

  /** Reads the rows of a job; null: the run had no such job. */
  static @Nullable TableExplanation of(FinishedRun run, String jobId) throws UserMistakeException {
    Map<String, String> job = run.jobRow(jobId);
    return job == null
        ? null
        : new TableExplanation(job, run.dispatchRows(jobId, cell(job, "shard")));
  }

  private static String cell(Map<String, String> row, String column) {
    return row.getOrDefault(column, "");
  }

  private String cell(String column) {
    return cell(job, column);
  }

  private static long secondsNs(Map<String, String> row, String column) {
    return Math.round(Double.parseDouble(cell(row, column)) * 1e9);
  }

  private boolean has(String column) {
    return !cell(column).isEmpty();
  }

  private boolean isDone() {
    return cell("status").equals("done");
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s  %s, %s %s %s, %s; %s"
            .formatted(
                cell("job_id"),
                cell("class_type"),
                cell("workload_name"),
                cell("backend"),
                cell("precision"),
                ReadableTimes.count(Long.parseLong(cell("batch_size")), "sample"),
                isDone()
                    ? msCell(job, "e2e_ms") + " ms, promised " + msCell(job, "slo_ms")
                    : cell("status") + (has("reason") ? " as " + cell("reason") : "")));
    long atNs = secondsNs(job, "enqueue_time");
    line(
        lines,
        atNs,
        "meant; sent %s ms late, in the log at %s"
            .formatted(
                ReadableTimes.ms(secondsNs(job, "sent_time") - atNs),
                ReadableTimes.at(secondsNs(job, "appended_time"))));
    for (Map<String, String> dispatch : dispatches) {
      dispatch(lines, dispatch);
    }
    lines.add("This run left no log, so that its tables alone are told. They lack:");
    LACKS.forEach(lack -> lines.add("  " + lack));
    return lines;
  }

  private void dispatch(List<String> lines, Map<String, String> row) {
    String others = cell(row, "job_ids").replace(" ", ", ");
    line(
        lines,
        secondsNs(row, "decided_time"),
        "%s on %s, jobs %s: predicted %s ms (%s)%s; %s%s"
            .formatted(
                cell(row, "dispatch_id"),
                cell(row, "lane_id"),
                others,
                msCell(row, "predicted_service_ms"),
                cell(row, "prediction_source"),
                cell(row, "predicted_p95_ms").isEmpty()
                    ? ""
                    : ", p95 " + msCell(row, "predicted_p95_ms"),
                cell(row, "result"),
                cell(row, "cause").isEmpty() ? "" : ": " + cell(row, "cause")));
    if (!cell(row, "start_time").isEmpty()) {
      long startNs = secondsNs(row, "start_time");
      line(
          lines,
          startNs,
          "starts %s ms after the decision; ends %s; it took %s"
              .formatted(
                  ReadableTimes.ms(startNs - secondsNs(row, "decided_time")),
                  ReadableTimes.at(secondsNs(row, "end_time")),
                  msCell(row, "service_ms")));
    }
  }

  private static void line(List<String> lines, long atNs, String text) {
    lines.add(String.format(Locale.ROOT, "%9s  %s", ReadableTimes.at(atNs), text));
  }

  private static String msCell(Map<String, String> row, String column) {
    return cell(row, column).isEmpty()
        ? "unknown"
        : ReadableTimes.ms(Math.round(Double.parseDouble(cell(row, column)) * 1e6));
  }

  Map<String, Object> asJson() {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("source", "tables");
    tree.put("job", cell("job_id"));
    tree.put("status", cell("status"));
    if (isDone()) {
      tree.put("latency_ns", Math.round(Double.parseDouble(cell("e2e_ms")) * 1e6));
      tree.put("spans", spans());
    }
    tree.put("row", job);
    tree.put("dispatches", dispatches);
    tree.put("lacks", LACKS);
    return tree;
  }

  /** Parts of a done job's life: each time counts as at least the one before it. */
  private List<Map<String, Object>> spans() {
    List<Map<String, Object>> spans = new ArrayList<>();
    long atNs = secondsNs(job, "enqueue_time");
    long endNs = secondsNs(job, "end_time");
    for (String[] part : PARTS) {
      long toNs = Math.min(endNs, Math.max(atNs, secondsNs(job, part[0])));
      if (toNs > atNs) {
        Map<String, Object> span = new LinkedHashMap<>();
        span.put("kind", part[1]);
        span.put("from_ns", atNs);
        span.put("to_ns", toNs);
        spans.add(span);
        atNs = toNs;
      }
    }
    return spans;
  }
}
