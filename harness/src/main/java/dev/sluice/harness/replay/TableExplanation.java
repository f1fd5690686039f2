package dev.sluice.harness.replay;

import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What trace.csv and dispatches.csv tell of a job, and what they lack.
 *
 * @param job row of the job in trace.csv
 * @param dispatches rows of its dispatches in dispatches.csv, by decision
 */
record TableExplanation(Row job, List<Row> dispatches) {
  private static final List<String> LACKS =
      List.of(
          "why it waited, by reason",
          "who overtook it",
          "how many jobs could have shared its batch",
          "times below a microsecond");

  /** Times of a job in their order: the column, and the part of its timeline that ends there. */
  private static final List<String[]> PARTS =
      List.of(
          new String[] {"sent_time", "late"},
          new String[] {"appended_time", "to_log"},
          new String[] {"decided_time", "waits_and_earlier_attempts"},
          new String[] {"start_time", "to_start"},
          new String[] {"end_time", "runs"});

  record Row(Map<String, String> cells) {
    String text(String column) {
      return cells.getOrDefault(column, "");
    }

    /** Returns a cell with a text before it, and nothing for an empty cell. */
    String text(String before, String column) {
      return text(column).isEmpty() ? "" : before + text(column);
    }

    long secondsNs(String column) {
      return Math.round(Double.parseDouble(text(column)) * 1e9);
    }

    String ms(String column) {
      return text(column).isEmpty()
          ? "unknown"
          : ExplanationText.ms(Math.round(Double.parseDouble(text(column)) * 1e6));
    }
  }

  /** Reads the rows of a job; null: the run had no such job. */
  static @Nullable TableExplanation of(FinishedRun run, String jobId) throws UserMistakeException {
    Map<String, String> job = run.jobRow(jobId);
    return job == null
        ? null
        : new TableExplanation(
            new Row(job),
            run.dispatchRows(jobId, job.getOrDefault("shard", "")).stream().map(Row::new).toList());
  }

  private boolean isDone() {
    return job.text("status").equals("done");
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s  %s, %s %s %s, %s; %s"
            .formatted(
                job.text("job_id"),
                job.text("class_type"),
                job.text("workload_name"),
                job.text("backend"),
                job.text("precision"),
                ExplanationText.count(Long.parseLong(job.text("batch_size")), "sample"),
                isDone()
                    ? job.ms("e2e_ms") + " ms, promised " + job.ms("slo_ms")
                    : job.text("status") + job.text(" as ", "reason")));
    long atNs = job.secondsNs("enqueue_time");
    lines.add(
        ExplanationText.timed(
            atNs,
            "meant; sent %s ms late, in the log at %s"
                .formatted(
                    ExplanationText.ms(job.secondsNs("sent_time") - atNs),
                    ExplanationText.at(job.secondsNs("appended_time")))));
    dispatches.forEach(dispatch -> add(dispatch, lines));
    lines.add("This run left no log, so that its tables alone are told. They lack:");
    LACKS.forEach(lack -> lines.add("  " + lack));
    return lines;
  }

  private static void add(Row dispatch, List<String> lines) {
    long decidedNs = dispatch.secondsNs("decided_time");
    lines.add(
        ExplanationText.timed(
            decidedNs,
            "%s on %s, jobs %s: predicted %s ms (%s)%s; %s%s"
                .formatted(
                    dispatch.text("dispatch_id"),
                    dispatch.text("lane_id"),
                    dispatch.text("job_ids").replace(" ", ", "),
                    dispatch.ms("predicted_service_ms"),
                    dispatch.text("prediction_source"),
                    dispatch.text("predicted_p95_ms").isEmpty()
                        ? ""
                        : ", p95 " + dispatch.ms("predicted_p95_ms"),
                    dispatch.text("result"),
                    dispatch.text(": ", "cause"))));
    if (!dispatch.text("start_time").isEmpty()) {
      long startNs = dispatch.secondsNs("start_time");
      lines.add(
          ExplanationText.timed(
              startNs,
              "starts %s ms after the decision; ends %s; it took %s"
                  .formatted(
                      ExplanationText.ms(startNs - decidedNs),
                      ExplanationText.at(dispatch.secondsNs("end_time")),
                      dispatch.ms("service_ms"))));
    }
  }

  Map<String, Object> asJson() {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("source", "tables");
    tree.put("job", job.text("job_id"));
    tree.put("status", job.text("status"));
    if (isDone()) {
      tree.put("latency_ns", Math.round(Double.parseDouble(job.text("e2e_ms")) * 1e6));
      tree.put("spans", spans());
    }
    tree.put("row", job.cells());
    tree.put("dispatches", dispatches.stream().map(Row::cells).toList());
    tree.put("lacks", LACKS);
    return tree;
  }

  /** Returns the parts of a done job's timeline: each time counts as at least the one before it. */
  private List<Map<String, Object>> spans() {
    List<Map<String, Object>> spans = new ArrayList<>();
    long atNs = job.secondsNs("enqueue_time");
    long endNs = job.secondsNs("end_time");
    for (String[] part : PARTS) {
      long toNs = Math.min(endNs, Math.max(atNs, job.secondsNs(part[0])));
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
