package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.check.ScheduleLog.Execution;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A log of executions, as every check of it sees it.
 *
 * @param gpus GPUs that the summary names; empty: the summary names none
 * @param files workflow files that the log came from; null: they were not given
 * @param executions rows, each gang in one
 * @param unfinished requests that the summary calls not completed: some of their nodes may be
 *     missing
 * @param arrivals arrival of each request of the files, in seconds since time zero; offline all are
 *     0
 */
record Schedule(
    JsonNode summary,
    Set<Integer> gpus,
    @Nullable WorkflowFiles files,
    List<Execution> executions,
    Map<String, List<Execution>> byRequest,
    Set<String> unfinished,
    Map<String, Double> arrivals) {
  private static final double NS_PER_SECOND = 1e9;
  private static final Comparator<Execution> BY_TIME =
      Comparator.comparingDouble(Execution::takenFrom)
          .thenComparingDouble(Execution::end)
          .thenComparingInt(Execution::row);

  static Schedule of(
      JsonNode summary,
      Set<Integer> gpus,
      @Nullable WorkflowFiles files,
      List<Execution> executions) {
    Map<String, List<Execution>> byRequest = new HashMap<>();
    for (Execution execution : executions) {
      byRequest.computeIfAbsent(execution.requestId(), id -> new ArrayList<>(2)).add(execution);
    }
    Set<String> unfinished = new HashSet<>();
    summary.path("unfinished").forEach(r -> unfinished.add(r.path("request_id").asText()));
    return new Schedule(
        summary,
        gpus,
        files,
        executions,
        byRequest,
        unfinished,
        files == null ? Map.of() : arrivals(summary, files.requests()));
  }

  private static Map<String, Double> arrivals(JsonNode summary, List<WorkflowRequest> asked) {
    boolean online = summary.path("mode").asText().equals("online");
    long firstNs = asked.stream().mapToLong(WorkflowRequest::timestampEpochNs).min().orElse(0);
    Map<String, Double> arrivals = new HashMap<>();
    for (WorkflowRequest request : asked) {
      arrivals.put(
          request.id(), online ? (request.timestampEpochNs() - firstNs) / NS_PER_SECOND : 0);
    }
    return arrivals;
  }

  /** True if the nodes really ran, so that their times are measured. */
  boolean reallyRan() {
    return summary.path("simulate").asBoolean(false);
  }

  static List<Execution> sortedByTime(List<Execution> executions) {
    Execution[] sorted = executions.toArray(Execution[]::new);
    Arrays.sort(sorted, BY_TIME);
    return Arrays.asList(sorted);
  }
}
