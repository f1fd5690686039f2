package dev.sluice.harness.workflow;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduler.translation.WorkflowOutcomes;
import dev.sluice.scheduler.translation.Workflows;
import dev.sluice.scheduling.workflow.Attempts;
import dev.sluice.scheduling.workflow.GpuModel;
import dev.sluice.scheduling.workflow.Gpus;
import dev.sluice.scheduling.workflow.GraphListener;
import dev.sluice.scheduling.workflow.GraphSchedule;
import dev.sluice.scheduling.workflow.GraphSimulation;
import dev.sluice.scheduling.workflow.NodeExecution;
import dev.sluice.scheduling.workflow.UnfinishedRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Schedules of workflows, simulated or taken from a run, with their events as lines. */
final class WorkflowSchedules {
  private static final long SEED = 42;
  private static final long NS_PER_HUNDREDTH = 10_000_000;

  private WorkflowSchedules() {}

  /**
   * Simulates the requests.
   *
   * @param lines called with each event, in the seed's words; null: not called
   */
  static GraphSchedule simulated(
      Workflows workflows, Gpus gpus, String policy, @Nullable Consumer<String> lines) {
    var collector = new Collector(workflows.requests(), lines);
    new GraphSimulation(
            Workflows.settings(SEED, workflows.models().stream().map(GpuModel::id).toList()),
            workflows.models(),
            workflows.requests(),
            gpus,
            WorkflowSettings.newPolicy(policy),
            collector)
        .run();
    return schedule(workflows, gpus.count(), policy, collector, List.of(), Attempts.NONE);
  }

  /**
   * The schedule of executed requests, with its events as lines in the order of time.
   *
   * @param outcomes outcomes of the requests
   * @param lines called with each event, in the words of a simulation
   */
  static GraphSchedule executed(
      Workflows workflows,
      int gpus,
      String policy,
      WorkflowOutcomes outcomes,
      Consumer<String> lines) {
    List<UnfinishedRequest> unfinished = outcomes.unfinished();
    var collector = new Collector(workflows.requests(), lines);
    replay(workflows.requests(), unfinished, outcomes.executions(), collector);
    return schedule(workflows, gpus, policy, collector, unfinished, outcomes.attemptsNotDone());
  }

  private static GraphSchedule schedule(
      Workflows workflows,
      int gpus,
      String policy,
      Collector collector,
      List<UnfinishedRequest> unfinished,
      Attempts attemptsNotDone) {
    return new GraphSchedule(
        workflows.requests(), gpus, policy, collector.executions, unfinished, attemptsNotDone);
  }

  /** A moment of the schedule, and the telling of its event. */
  private record Moment(long atNs, Runnable telling) {}

  private static void replay(
      List<WorkflowRequested> requests,
      List<UnfinishedRequest> unfinished,
      List<NodeExecution> done,
      GraphListener listener) {
    List<Moment> moments = new ArrayList<>();
    Set<String> unsent = new HashSet<>();
    unfinished.stream()
        .filter(of -> !of.sent())
        .forEach(of -> unsent.add(of.request().requestId()));
    for (int i = 0; i < requests.size(); i++) {
      int request = i;
      long atNs = requests.get(i).intendedAtNs();
      if (!unsent.contains(requests.get(i).requestId())) {
        moments.add(new Moment(atNs, () -> listener.arrived(atNs, request)));
      }
    }
    int[] nodesLeft = requests.stream().mapToInt(r -> r.nodes().size()).toArray();
    Map<Integer, String> resident = new HashMap<>();
    for (NodeExecution execution : done) {
      moments.add(
          new Moment(
              execution.heldAtNs(),
              () -> {
                listener.placed(execution, resident.get(execution.gpu()));
                WorkflowRequested.Node node =
                    requests.get(execution.request()).nodes().get(execution.node());
                GraphSchedule.gpuIds(execution).forEach(gpu -> resident.put(gpu, node.workload()));
              }));
      moments.add(
          new Moment(
              execution.endedAtNs(),
              () -> {
                listener.ended(execution);
                if (--nodesLeft[execution.request()] == 0) {
                  listener.completed(execution.endedAtNs(), execution.request());
                }
              }));
    }
    moments.sort(
        Comparator.comparingLong(
            Moment::atNs)); // stable, so that events of one moment keep their order
    moments.forEach(moment -> moment.telling().run());
  }

  /** Seconds with two decimals. */
  static String seconds(double ns) {
    return seconds(Math.round(ns));
  }

  /** Seconds with two decimals. */
  static String seconds(long ns) {
    long hundredths = (ns + NS_PER_HUNDREDTH / 2) / NS_PER_HUNDREDTH;
    long rest = hundredths % 100;
    return hundredths / 100 + (rest < 10 ? ".0" : ".") + rest;
  }

  /** Collects a schedule, and hands out its events as lines. */
  private static final class Collector implements GraphListener {
    final List<NodeExecution> executions = new ArrayList<>();
    private final List<WorkflowRequested> requests;
    private final @Nullable Consumer<String> lines;

    Collector(List<WorkflowRequested> requests, @Nullable Consumer<String> lines) {
      this.requests = requests;
      this.lines = lines;
    }

    private WorkflowRequested request(NodeExecution execution) {
      return requests.get(execution.request());
    }

    private WorkflowRequested.Node node(NodeExecution execution) {
      return request(execution).nodes().get(execution.node());
    }

    @Override
    public void arrived(long nowNs, int request) {
      if (lines != null) {
        WorkflowRequested of = requests.get(request);
        lines.accept(
            at(nowNs)
                + "Processing request "
                + of.requestId()
                + " (workflow: "
                + of.workflowId()
                + ")");
      }
    }

    @Override
    public void placed(NodeExecution execution, @Nullable String resident) {
      executions.add(execution);
      if (lines == null) {
        return;
      }
      WorkflowRequested.Node node = node(execution);
      String where = " on GPU(s) " + GraphSchedule.gpuIds(execution);
      if (execution.switchNs() > 0) {
        lines.accept(
            at(execution.heldAtNs())
                + "Scheduling model switch"
                + where
                + " from "
                + (resident == null ? "None" : resident)
                + " to "
                + node.workload()
                + " (switch time: "
                + seconds(execution.switchNs())
                + "s)");
      }
      lines.accept(
          at(execution.heldAtNs())
              + "Scheduled node "
              + node.nodeId()
              + " of request "
              + request(execution).requestId()
              + where
              + " (start: "
              + seconds(execution.startedAtNs())
              + "s, end: "
              + seconds(execution.endedAtNs())
              + "s)");
    }

    @Override
    public void ended(NodeExecution execution) {
      if (lines != null) {
        lines.accept(
            at(execution.endedAtNs())
                + "Completed node "
                + node(execution).nodeId()
                + " of request "
                + request(execution).requestId()
                + " on GPU(s) "
                + GraphSchedule.gpuIds(execution));
      }
    }

    @Override
    public void completed(long nowNs, int request) {
      if (lines != null) {
        lines.accept(at(nowNs) + "Request " + requests.get(request).requestId() + " completed");
      }
    }

    private static String at(long ns) {
      return "[" + seconds(ns) + "s] ";
    }
  }
}
