package dev.sluice.analytics.check;

import dev.sluice.analytics.check.Schedule.Execution;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks a log of executions on GPUs, by itself and as an answer to the workflow files that it came
 * from. A GPU counts as taken from the beginning of the switch until the end.
 */
public final class ScheduleCheck {
  private static final double GB_PER_SECOND = 16;
  private static final double OVERHEAD_SECONDS = 2;

  /** Rules that a log of executions has. */
  private static final Set<Rule> OF_LOGS =
      EnumSet.of(
          Rule.MEASURED,
          Rule.FORMAT,
          Rule.TIME,
          Rule.NODE_ONCE,
          Rule.ORDER,
          Rule.GPU_OVERLAP,
          Rule.GANG,
          Rule.MODEL_FITS,
          Rule.SWITCH,
          Rule.DURATION,
          Rule.COMPATIBLE,
          Rule.SUMMARY);

  private final Schedule schedule;
  private final @Nullable WorkflowFiles files;
  private final Findings findings;
  private final Map<Integer, Execution> lastByGpu = new HashMap<>();

  private ScheduleCheck(Schedule schedule, Findings findings) {
    this.schedule = schedule;
    this.findings = findings;
    this.files = schedule.files();
  }

  /**
   * Checks a log.
   *
   * @param system models and workflows; null: the rules that need them are left out, with a note
   * @param requests requests of the log; null only together with {@code system}
   * @throws UserMistakeException if a file cannot be read
   */
  public static CheckReport of(Path file, @Nullable Path system, @Nullable Path requests)
      throws UserMistakeException {
    Findings findings = new Findings();
    Schedule schedule = Schedule.read(file, system, requests, findings);
    findings.rows(schedule.rows());
    findings.looked(Rule.MEASURED, schedule.rows());
    if (schedule.rows() == 0) {
      findings.fault(Rule.MEASURED, file.toString(), "no node ran");
    }
    new ScheduleCheck(schedule, findings).check();
    new ScheduleSummary(schedule, findings).check();
    Set<Integer> gpus = schedule.gpus();
    return findings.report(
        "execution log: %d executions of %d requests on %s"
            .formatted(
                schedule.rows(),
                schedule.byRequest().size(),
                gpus.isEmpty() ? "unnamed GPUs" : gpus.size() + " GPUs"),
        OF_LOGS);
  }

  /** Checks the log by itself: each row adds up, and no GPU is taken twice. Then its answers. */
  private void check() {
    schedule.executions().forEach(this::checkTimes);
    findings.looked(Rule.TIME, schedule.executions().size());
    checkGpusAreKnown();
    checkOverlap();
    checkBatches();
    checkAnswers();
  }

  private void checkTimes(Execution row) {
    String wrong = null;
    if (row.start() < 0) {
      wrong = "start_time (%s) is before time zero".formatted(row.start());
    } else if (row.executionTime() < 0) {
      wrong = "execution_time (%s) is negative".formatted(row.executionTime());
    } else if (!Schedule.same(row.start() + row.executionTime(), row.end())) {
      wrong =
          "start_time (%s) + execution_time (%s) is not end_time (%s)"
              .formatted(row.start(), row.executionTime(), row.end());
    } else if (row.switchTime() < 0) {
      wrong = "switch_time (%s) is negative".formatted(row.switchTime());
    } else if (Schedule.before(row.waitingTime(), 0)) {
      wrong = "waiting_time (%s) is negative".formatted(row.waitingTime());
    }
    if (wrong != null) {
      findings.fault(Rule.TIME, row.where(), wrong);
    }
  }

  private void checkGpusAreKnown() {
    if (schedule.gpus().isEmpty() && files == null) {
      findings.leaveOut(Rule.MODEL_FITS, "the summary names no gpus");
      return;
    }
    findings.looked(Rule.MODEL_FITS, schedule.executions().size());
    for (Execution row : schedule.executions()) {
      for (int gpu : row.gpus()) {
        if (!schedule.gpus().isEmpty() && !schedule.gpus().contains(gpu)) {
          findings.fault(
              Rule.MODEL_FITS,
              row.where(),
              "GPU (%d) is none of the summary's %s".formatted(gpu, schedule.gpus()));
        }
      }
    }
  }

  private void checkOverlap() {
    findings.looked(Rule.GPU_OVERLAP, schedule.executions().size());
    schedule
        .byGpu()
        .forEach(
            (gpu, rows) -> {
              Execution last = null;
              for (Execution row : Schedule.sortedByTime(rows)) {
                if (row.end() <= row.takenFrom()) {
                  continue;
                }
                if (last != null
                    && Schedule.before(row.takenFrom(), last.end())
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

  /** Checks that rows of one batch ran one model at one time in one place, and were allowed to. */
  private void checkBatches() {
    Map<Double, List<Execution>> batches =
        schedule.executions().stream()
            .filter(row -> !Double.isNaN(row.batchId()))
            .collect(Collectors.groupingBy(Execution::batchId, TreeMap::new, Collectors.toList()));
    findings.looked(Rule.COMPATIBLE, batches.size());
    batches.values().forEach(this::checkBatch);
  }

  private void checkBatch(List<Execution> rows) {
    Execution first = rows.get(0);
    for (Execution row : rows) {
      if (!row.modelName().equals(first.modelName())
          || !row.gpus().equals(first.gpus())
          || !Schedule.same(row.start(), first.start())
          || !Schedule.same(row.end(), first.end())) {
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

  /** Checks that the log answers its requests: each node ran once, in order, as asked. */
  private void checkAnswers() {
    if (files == null) {
      checkNoNodeTwice();
      for (Rule rule : List.of(Rule.ORDER, Rule.SWITCH, Rule.DURATION)) {
        findings.leaveOut(rule, "needs --system and --requests");
      }
    } else {
      checkRequests(files);
      checkSwitches(files.models());
    }
  }

  private void checkNoNodeTwice() {
    findings.looked(Rule.NODE_ONCE, schedule.executions().size());
    for (List<Execution> rows : schedule.byRequest().values()) {
      Set<String> nodes = new HashSet<>();
      for (Execution row : rows) {
        if (!nodes.add(row.nodeId())) {
          findings.fault(Rule.NODE_ONCE, row.where(), "the node has run before");
        }
      }
    }
  }

  private void checkRequests(WorkflowFiles asked) {
    for (WorkflowRequest request : asked.requests()) {
      checkRequest(
          request,
          schedule.arrivals().getOrDefault(request.id(), 0.0),
          schedule.byRequest().getOrDefault(request.id(), List.of()),
          asked.models());
    }
    for (String id : schedule.unfinished()) {
      if (!schedule.arrivals().containsKey(id)) {
        findings.fault(Rule.NODE_ONCE, id, "it is said to be unfinished, and was not to be run");
      }
    }
    for (Map.Entry<String, List<Execution>> request : schedule.byRequest().entrySet()) {
      if (!schedule.arrivals().containsKey(request.getKey())) {
        findings.fault(
            Rule.NODE_ONCE,
            request.getValue().get(0).where(),
            "no such request was to be run (%s)".formatted(request.getKey()));
      }
    }
  }

  private void checkRequest(
      WorkflowRequest request, double arrival, List<Execution> rows, Map<String, Model> models) {
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
        if (!schedule.unfinished().contains(request.id())) {
          findings.fault(
              Rule.NODE_ONCE, request.id() + "/" + nodes.get(i).id(), "the node never ran");
        }
      } else {
        checkModel(byNode[i], nodes.get(i), models);
        checkDuration(byNode[i], nodes.get(i), request.executionSeconds(i), models);
      }
    }
    if (schedule.unfinished().contains(request.id()) && rows.size() == nodes.size()) {
      findings.fault(
          Rule.NODE_ONCE, request.id(), "it is said to be unfinished, and all its nodes ran");
    }
    checkOrder(workflow, arrival, byNode);
  }

  private static int placeOf(String node, List<Workflow.Node> nodes) {
    return nodes.stream().map(Workflow.Node::id).toList().indexOf(node);
  }

  private void checkOrder(Workflow workflow, double arrival, @Nullable Execution[] byNode) {
    List<Workflow.Node> nodes = workflow.nodes();
    findings.looked(Rule.ORDER, nodes.size());
    double[] ready = new double[nodes.size()];
    Arrays.fill(ready, arrival);
    boolean[] known = new boolean[nodes.size()];
    Arrays.fill(known, true);
    for (Workflow.Edge edge : workflow.edges()) {
      Execution from = byNode[edge.from()];
      int place = edge.to();
      Execution to = byNode[place];
      if (from == null) {
        known[place] = false;
        if (to != null && schedule.unfinished().contains(to.requestId())) {
          findings.fault(
              Rule.ORDER,
              to.where(),
              "its input (%s) never ran".formatted(nodes.get(edge.from()).id()));
        }
      } else {
        ready[place] = Math.max(ready[place], from.end());
        if (to != null && Schedule.before(to.takenFrom(), from.end())) {
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
      if (Schedule.before(row.takenFrom(), arrival)) {
        findings.fault(
            Rule.ORDER,
            row.where(),
            "it takes its GPU at (%s), but its request arrives at (%s)"
                .formatted(row.takenFrom(), arrival));
      }
      double waited = row.takenFrom() - ready[i];
      if (known[i]
          && !Double.isNaN(row.waitingTime())
          && !Schedule.same(row.waitingTime(), waited)) {
        findings.fault(
            Rule.TIME,
            row.where(),
            "waiting_time (%s) is not start - switch - ready = (%s)"
                .formatted(row.waitingTime(), waited));
      }
    }
  }

  private void checkModel(Execution row, Workflow.Node node, Map<String, Model> models) {
    Model model = models.get(node.model());
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

  /** Compares durations with the files, which a log of estimates must repeat. */
  private void checkDuration(
      Execution row, Workflow.Node node, double requested, Map<String, Model> models) {
    if (schedule.reallyRan()) {
      findings.leaveOut(Rule.DURATION, "the nodes really ran");
      return;
    }
    Model model = models.get(node.model());
    Double mean = model == null ? null : model.inferenceTimeMean();
    double expected = Double.isNaN(requested) && mean != null ? mean : requested;
    if (!Double.isNaN(expected)) {
      findings.looked(Rule.DURATION, 1);
      if (!Schedule.same(row.executionTime(), expected)) {
        findings.fault(
            Rule.DURATION,
            row.where(),
            "execution_time is (%s), and the files say (%s)"
                .formatted(row.executionTime(), expected));
      }
    }
  }

  /**
   * Checks the length of each switch against the model that its GPUs held: 0 for the same model,
   * the load time on an empty GPU, else (old GB + new GB) / bandwidth + overhead. A log that names
   * no switches must leave room for them. Where the nodes really ran, a switch took some time if it
   * was needed, and none if not; the log does not tell of attempts that were not done.
   */
  private void checkSwitches(Map<String, Model> models) {
    boolean saysAllThatRan = schedule.summary().path("attempts_not_done").asInt() == 0;
    if (schedule.reallyRan() && !saysAllThatRan) {
      findings.leaveOut(Rule.SWITCH, "attempts that were not done may have left models");
      return;
    }
    for (Execution row : Schedule.sortedByTime(schedule.executions())) {
      Model model = models.get(row.modelName());
      if (model != null) {
        findings.looked(Rule.SWITCH, 1);
        if (schedule.reallyRan()) {
          checkMeasuredSwitch(row);
        } else {
          checkSwitch(row, model, models);
        }
      }
      row.gpus().forEach(gpu -> lastByGpu.put(gpu, row));
    }
  }

  private void checkMeasuredSwitch(Execution row) {
    List<String> held =
        row.gpus().stream()
            .map(lastByGpu::get)
            .map(last -> last == null ? "nothing" : last.modelName())
            .toList();
    boolean needed = held.stream().anyMatch(model -> !model.equals(row.modelName()));
    if (!Double.isNaN(row.switchTime()) && row.switchTime() > 0 != needed) {
      findings.fault(
          Rule.SWITCH,
          row.where(),
          "switch_time is (%s), and its GPUs held %s before (%s)"
              .formatted(row.switchTime(), held, row.modelName()));
    }
  }

  private void checkSwitch(Execution row, Model model, Map<String, Model> models) {
    boolean firstGpuDecides = schedule.summary().path("gang_switch").asText().equals("first");
    double expected = 0;
    for (int i = 0; i < row.gpus().size(); i++) {
      Execution last = lastByGpu.get(row.gpus().get(i));
      double seconds = seconds(last == null ? null : models.get(last.modelName()), model);
      double freeFrom = last == null ? 0 : last.end();
      if (i == 0 || !firstGpuDecides) {
        expected = Math.max(expected, seconds);
      }
      if (Double.isNaN(row.switchTime()) && Schedule.before(row.start(), freeFrom + seconds)) {
        findings.fault(
            Rule.SWITCH,
            row.where(),
            "it starts at (%s), (%s) after the one before it on GPU (%d), and the switch takes (%s)"
                .formatted(row.start(), row.start() - freeFrom, row.gpus().get(i), seconds));
      }
    }
    if (!Schedule.same(row.switchTime(), expected)) {
      Execution last = lastByGpu.get(row.gpus().get(0));
      String held = last == null ? "nothing" : last.modelName();
      findings.fault(
          Rule.SWITCH,
          row.where(),
          "switch_time is (%s), and from (%s) to (%s) it takes (%s)"
              .formatted(row.switchTime(), held, row.modelName(), expected));
    }
  }

  private double seconds(@Nullable Model old, Model next) {
    if (old == null) {
      return next.loadTimeSeconds();
    }
    double gbPerSecond = schedule.summary().path("bandwidth_gb_per_s").asDouble(GB_PER_SECOND);
    double overhead = schedule.summary().path("switch_overhead_s").asDouble(OVERHEAD_SECONDS);
    return old.id().equals(next.id())
        ? 0
        : (old.memoryGb() + next.memoryGb()) / gbPerSecond + overhead;
  }
}
