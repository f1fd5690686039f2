package dev.sluice.analytics.check;

import dev.sluice.analytics.check.ScheduleLog.Execution;
import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether a log of executions on GPUs is legal: by itself, and as an answer to the workflow files
 * that it came from. A GPU counts as taken from the beginning of the switch until the end.
 */
public final class ScheduleCheck {
  private static final double NS_PER_SECOND = 1e9;
  private static final Comparator<Execution> BY_TIME =
      Comparator.comparingDouble(Execution::takenFrom)
          .thenComparingDouble(Execution::end)
          .thenComparingInt(Execution::row);

  private final Findings findings = new Findings();
  private final ScheduleLog log;
  private final Set<Integer> gpus = new HashSet<>();
  private final @Nullable WorkflowFiles files;

  /** With each gang in one row. */
  private final List<Execution> executions;

  private final Map<String, List<Execution>> byRequest = new HashMap<>();

  /** Requests that the summary says were not completed, so that nodes of theirs may be missing. */
  private final Set<String> unfinished = new HashSet<>();

  /** Of the requests that were to be run, in seconds since time zero; offline all are 0. */
  private final Map<String, Double> arrivals = new HashMap<>();

  private ScheduleCheck(Path file, @Nullable Path system, @Nullable Path requests)
      throws UserMistakeException {
    log = ScheduleLog.read(file, findings);
    log.summary().path("gpus").forEach(gpu -> gpus.add(gpu.asInt()));
    log.summary()
        .path("unfinished")
        .forEach(request -> unfinished.add(request.path("request_id").asText()));
    files =
        system == null || requests == null
            ? null
            : WorkflowFiles.read(
                system, requests, gpus.isEmpty() ? Integer.MAX_VALUE : gpus.size(), true);
    executions = new Gangs(log.executions(), files, findings).merged();
    for (Execution execution : executions) {
      byRequest.computeIfAbsent(execution.requestId(), id -> new ArrayList<>(2)).add(execution);
    }
    if (files != null) {
      findArrivals(files.requests());
    }
  }

  private void findArrivals(List<WorkflowRequest> asked) {
    boolean online = log.summary().path("mode").asText().equals("online");
    long firstNs = asked.stream().mapToLong(WorkflowRequest::timestampEpochNs).min().orElse(0);
    for (WorkflowRequest request : asked) {
      arrivals.put(
          request.id(), online ? (request.timestampEpochNs() - firstNs) / NS_PER_SECOND : 0);
    }
  }

  /**
   * Checks a log.
   *
   * @param system the models and workflows; null: what needs them is left out, and said so
   * @param requests what was asked for; null with {@code system} alone
   * @throws UserMistakeException if a file can not be read
   */
  public static CheckReport of(Path file, @Nullable Path system, @Nullable Path requests)
      throws UserMistakeException {
    return new ScheduleCheck(file, system, requests).check();
  }

  private CheckReport check() {
    executions.forEach(this::checkTimes);
    findings.looked(Rule.TIME, executions.size());
    checkGpusAreKnown();
    checkOverlap();
    checkBatches();
    if (files == null) {
      checkNoNodeTwice();
      for (Rule rule : List.of(Rule.ORDER, Rule.SWITCH, Rule.DURATION)) {
        findings.leaveOut(rule, "needs --system and --requests");
      }
    } else {
      checkRequests(files);
      new SwitchCheck(log.summary(), files.models(), findings).check(sortedByTime(executions));
    }
    new ScheduleSummary(log.summary(), executions, byRequest, unfinished, arrivals, files, findings)
        .check();
    return findings.report(
        "execution log: %d executions of %d requests on %s"
            .formatted(
                log.executions().size(),
                byRequest.size(),
                gpus.isEmpty() ? "unnamed GPUs" : gpus.size() + " GPUs"));
  }

  private static List<Execution> sortedByTime(List<Execution> executions) {
    Execution[] sorted = executions.toArray(Execution[]::new);
    Arrays.sort(sorted, BY_TIME);
    return Arrays.asList(sorted);
  }

  private void checkTimes(Execution row) {
    String wrong = null;
    if (row.start() < 0) {
      wrong = "start_time (%s) is before time zero".formatted(row.start());
    } else if (row.executionTime() < 0) {
      wrong = "execution_time (%s) is negative".formatted(row.executionTime());
    } else if (!Seconds.same(row.start() + row.executionTime(), row.end())) {
      wrong =
          "start_time (%s) + execution_time (%s) is not end_time (%s)"
              .formatted(row.start(), row.executionTime(), row.end());
    } else if (row.switchTime() < 0) {
      wrong = "switch_time (%s) is negative".formatted(row.switchTime());
    } else if (Seconds.before(row.waitingTime(), 0)) {
      wrong = "waiting_time (%s) is negative".formatted(row.waitingTime());
    }
    if (wrong != null) {
      findings.fault(Rule.TIME, row.where(), wrong);
    }
  }

  private void checkGpusAreKnown() {
    if (gpus.isEmpty() && files == null) {
      findings.leaveOut(Rule.MODEL_FITS, "the summary names no gpus");
      return;
    }
    findings.looked(Rule.MODEL_FITS, executions.size());
    for (Execution row : executions) {
      for (int gpu : row.gpus()) {
        if (!gpus.isEmpty() && !gpus.contains(gpu)) {
          findings.fault(
              Rule.MODEL_FITS,
              row.where(),
              "GPU (%d) is none of the summary's %s".formatted(gpu, gpus));
        }
      }
    }
  }

  private void checkOverlap() {
    findings.looked(Rule.GPU_OVERLAP, executions.size());
    Map<Integer, List<Execution>> byGpu = new TreeMap<>();
    for (Execution row : executions) {
      if (row.end() > row.takenFrom()) {
        for (int gpu : row.gpus()) {
          byGpu.computeIfAbsent(gpu, g -> new ArrayList<>()).add(row);
        }
      }
    }
    byGpu.forEach(
        (gpu, rows) -> {
          Execution last = null;
          for (Execution row : sortedByTime(rows)) {
            if (last != null
                && Seconds.before(row.takenFrom(), last.end())
                && !row.sharesBatchWith(last)) {
              findings.fault(
                  Rule.GPU_OVERLAP,
                  last.where() + ", " + row.where(),
                  "GPU (%d) is taken from (%s) until (%s), and again from (%s)"
                      .formatted(gpu, last.takenFrom(), last.end(), row.takenFrom()));
            }
            if (last == null || row.end() > last.end()) {
              last = row;
            }
          }
        });
  }

  /**
   * Rows of one batch ran the same model at the same time in the same place, and were allowed to.
   */
  private void checkBatches() {
    Map<Double, List<Execution>> batches = new TreeMap<>();
    for (Execution row : executions) {
      if (!Double.isNaN(row.batchId())) {
        batches.computeIfAbsent(row.batchId(), id -> new ArrayList<>()).add(row);
      }
    }
    if (!batches.isEmpty()) {
      findings.looked(Rule.COMPATIBLE, batches.size());
    }
    batches.values().forEach(this::checkBatch);
  }

  private void checkBatch(List<Execution> rows) {
    Execution first = rows.get(0);
    for (Execution row : rows) {
      if (!row.modelName().equals(first.modelName())
          || !row.gpus().equals(first.gpus())
          || !Seconds.same(row.start(), first.start())
          || !Seconds.same(row.end(), first.end())) {
        findings.fault(
            Rule.COMPATIBLE,
            first.where() + ", " + row.where(),
            "one batch is to be (%s) on %s in [%s, %s), and (%s) on %s in [%s, %s)"
                .formatted(
                    first.modelName(),
                    first.gpus(),
                    first.start(),
                    first.end(),
                    row.modelName(),
                    row.gpus(),
                    row.start(),
                    row.end()));
      }
      Workflow workflow = files == null ? null : files.workflows().get(row.workflowId());
      if (workflow != null && !workflow.joined()) {
        findings.fault(
            Rule.COMPATIBLE,
            row.where(),
            "it shares a batch, and workflow (%s) does not say microbatch: true"
                .formatted(workflow.id()));
      }
    }
    if (files != null && rows.size() > files.microbatch().maxBatch()) {
      findings.fault(
          Rule.COMPATIBLE,
          first.where(),
          "(%d) nodes share its batch, at most (%d) may"
              .formatted(rows.size(), files.microbatch().maxBatch()));
    }
  }

  private void checkNoNodeTwice() {
    findings.looked(Rule.NODE_ONCE, executions.size());
    for (List<Execution> rows : byRequest.values()) {
      Set<String> nodes = new HashSet<>();
      for (Execution row : rows) {
        if (!nodes.add(row.nodeId())) {
          findings.fault(Rule.NODE_ONCE, row.where(), "the node has run before");
        }
      }
    }
  }

  // --- against the files

  private void checkRequests(WorkflowFiles asked) {
    for (WorkflowRequest request : asked.requests()) {
      checkRequest(
          request,
          arrivals.getOrDefault(request.id(), 0.0),
          byRequest.getOrDefault(request.id(), List.of()));
    }
    for (Map.Entry<String, List<Execution>> request : byRequest.entrySet()) {
      if (!arrivals.containsKey(request.getKey())) {
        findings.fault(
            Rule.NODE_ONCE,
            request.getValue().get(0).where(),
            "no such request was to be run (%s)".formatted(request.getKey()));
      }
    }
  }

  private void checkRequest(WorkflowRequest request, double arrival, List<Execution> rows) {
    Workflow workflow = request.workflow();
    List<Workflow.Node> nodes = workflow.nodes();
    Execution[] byNode = new Execution[nodes.size()];
    findings.looked(Rule.NODE_ONCE, nodes.size());
    for (Execution row : rows) {
      int place = placeOf(row.nodeId(), nodes);
      if (place < 0 || !row.workflowId().equals(workflow.id())) {
        findings.fault(
            Rule.NODE_ONCE,
            row.where(),
            "workflow (%s) of the request has no such node; the row names workflow (%s)"
                .formatted(workflow.id(), row.workflowId()));
      } else if (byNode[place] != null) {
        findings.fault(
            Rule.NODE_ONCE,
            row.where(),
            "the node has run before, in executions[%d]".formatted(byNode[place].row()));
      } else {
        byNode[place] = row;
      }
    }
    for (int i = 0; i < byNode.length; i++) {
      if (byNode[i] == null) {
        if (!unfinished.contains(request.id())) {
          findings.fault(
              Rule.NODE_ONCE, request.id() + "/" + nodes.get(i).id(), "the node never ran");
        }
      } else {
        checkModel(byNode[i], nodes.get(i));
        checkDuration(byNode[i], nodes.get(i), request.executionSeconds(i));
      }
    }
    if (unfinished.contains(request.id()) && rows.size() == nodes.size()) {
      findings.fault(
          Rule.NODE_ONCE, request.id(), "it is said to be unfinished, and all its nodes ran");
    }
    checkOrder(workflow, arrival, byNode);
  }

  private static int placeOf(String node, List<Workflow.Node> nodes) {
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).id().equals(node)) {
        return i;
      }
    }
    return -1;
  }

  private void checkOrder(Workflow workflow, double arrival, @Nullable Execution[] byNode) {
    List<Workflow.Node> nodes = workflow.nodes();
    findings.looked(Rule.ORDER, nodes.size());
    double[] ready = new double[nodes.size()];
    Arrays.fill(ready, arrival);
    boolean[] known = new boolean[nodes.size()];
    Arrays.fill(known, true);
    for (Workflow.Edge edge : workflow.edges()) {
      Execution from = byNode[placeOf(edge.from(), nodes)];
      int place = placeOf(edge.to(), nodes);
      Execution to = byNode[place];
      if (from == null) {
        known[place] = false;
        if (to != null && unfinished.contains(to.requestId())) {
          findings.fault(Rule.ORDER, to.where(), "its input (%s) never ran".formatted(edge.from()));
        }
      } else {
        ready[place] = Math.max(ready[place], from.end());
        if (to != null && Seconds.before(to.takenFrom(), from.end())) {
          findings.fault(
              Rule.ORDER,
              to.where(),
              "it takes its GPU at (%s), but its input (%s) ends at (%s)"
                  .formatted(to.takenFrom(), from.nodeId(), from.end()));
        }
      }
    }
    for (int i = 0; i < byNode.length; i++) {
      Execution row = byNode[i];
      if (row == null) {
        continue;
      }
      if (Seconds.before(row.takenFrom(), arrival)) {
        findings.fault(
            Rule.ORDER,
            row.where(),
            "it takes its GPU at (%s), but its request arrives at (%s)"
                .formatted(row.takenFrom(), arrival));
      }
      double waited = row.takenFrom() - ready[i];
      if (known[i]
          && !Double.isNaN(row.waitingTime())
          && !Seconds.same(row.waitingTime(), waited)) {
        findings.fault(
            Rule.TIME,
            row.where(),
            "waiting_time (%s) is not start - switch - ready = (%s)"
                .formatted(row.waitingTime(), waited));
      }
    }
  }

  private void checkModel(Execution row, Workflow.Node node) {
    Model model = files == null ? null : files.models().get(node.model());
    if (!row.modelName().equals(node.model())) {
      findings.fault(
          Rule.MODEL_FITS,
          row.where(),
          "it ran model (%s), and its node needs (%s)".formatted(row.modelName(), node.model()));
    } else if (model != null && row.gpus().size() != model.gpusRequired()) {
      findings.fault(
          Rule.MODEL_FITS,
          row.where(),
          "model (%s) needs %d GPUs, and it ran on %s"
              .formatted(model.id(), model.gpusRequired(), row.gpus()));
    }
  }

  /** Where the files say how long a node takes, a log of estimates must say the same. */
  private void checkDuration(Execution row, Workflow.Node node, double requested) {
    if (log.summary().path("simulate").asBoolean(false)) {
      findings.leaveOut(Rule.DURATION, "the nodes really ran");
      return;
    }
    Model model = files == null ? null : files.models().get(node.model());
    Double mean = model == null ? null : model.inferenceTimeMean();
    double expected = Double.isNaN(requested) && mean != null ? mean : requested;
    if (!Double.isNaN(expected)) {
      findings.looked(Rule.DURATION, 1);
      if (!Seconds.same(row.executionTime(), expected)) {
        findings.fault(
            Rule.DURATION,
            row.where(),
            "execution_time is (%s), and the files say (%s)"
                .formatted(row.executionTime(), expected));
      }
    }
  }
}
