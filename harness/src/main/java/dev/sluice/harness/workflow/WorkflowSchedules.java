package dev.sluice.harness.workflow;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduler.topology.WorkflowCore;
import dev.sluice.scheduling.simulation.GraphSchedule;
import dev.sluice.scheduling.simulation.GraphSchedule.Attempts;
import dev.sluice.scheduling.simulation.GraphSchedule.UnfinishedRequest;
import dev.sluice.scheduling.simulation.GraphSimulation;
import dev.sluice.scheduling.simulation.GraphSimulation.GraphListener;
import dev.sluice.scheduling.simulation.NodeExecution;
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
      Workflows workflows, String policy, @Nullable Consumer<String> lines) {
    var collector = new Collector(workflows.requests(), lines);
    new GraphSimulation(
            WorkflowCore.settings(SEED, workflows.modelIds()),
            workflows.models(),
            workflows.requests(),
            workflows.gpus(),
            WorkflowSettings.newPolicy(policy),
            collector)
        .run();
    return new GraphSchedule(
        workflows.requests(),
        workflows.gpus().count(),
        policy,
        collector.executions,
        List.of(),
        Attempts.NONE);
  }

  /**
   * The schedule of executed requests, with its events as lines in the order of time.
   *
   * @param outcomes outcomes of the requests
   * @param lines called with each event, in the words of a simulation
   */
  static GraphSchedule executed(
      Workflows workflows, String policy, WorkflowOutcomes outcomes, Consumer<String> lines) {
    List<WorkflowRequested> requests = workflows.requests();
    List<UnfinishedRequest> unfinished = outcomes.unfinished();
    var collector = new Collector(requests, lines);
    List<Moment> moments = new ArrayList<>();
    Set<String> unsent = new HashSet<>();
    unfinished.stream()
        .filter(of -> !of.sent())
        .forEach(of -> unsent.add(of.request().requestId()));
    for (int i = 0; i < requests.size(); i++) {
      int request = i;
      long atNs = requests.get(i).intendedAtNs();
      if (!unsent.contains(requests.get(i).requestId())) {
        moments.add(new Moment(atNs, () -> collector.arrived(atNs, request)));
      }
    }
    for (NodeExecution execution : outcomes.executions()) {
      moments.add(new Moment(execution.heldAtNs(), () -> collector.placed(execution)));
      moments.add(new Moment(execution.endedAtNs(), () -> collector.ended(execution)));
    }
    moments.sort( // stable, so that events of one moment keep their order
        Comparator.comparingLong(Moment::atNs));
    moments.forEach(moment -> moment.telling().run());
    return new GraphSchedule(
        requests,
        workflows.gpus().count(),
        policy,
        collector.executions,
        unfinished,
        outcomes.attemptsNotDone());
  }

  private record Moment(long atNs, Runnable telling) {}

  static String seconds(double ns) {
    return seconds(Math.round(ns));
  }

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

    private final int[] nodesLeft;

    private final Map<Integer, String> resident = new HashMap<>();

    Collector(List<WorkflowRequested> requests, @Nullable Consumer<String> lines) {
      this.requests = requests;
      this.lines = lines;
      nodesLeft = requests.stream().mapToInt(request -> request.nodes().size()).toArray();
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
            "[%ss] Processing request %s (workflow: %s)"
                .formatted(seconds(nowNs), of.requestId(), of.workflowId()));
      }
    }

    @Override
    public void placed(NodeExecution execution) {
      executions.add(execution);
      if (lines == null) {
        return;
      }
      WorkflowRequested.Node node = node(execution);
      List<Integer> gpus = GraphSchedule.gpuIds(execution);
      String heldAt = seconds(execution.heldAtNs());
      if (execution.switchNs() > 0) {
        lines.accept(
            "[%ss] Scheduling model switch on GPU(s) %s from %s to %s (switch time: %ss)"
                .formatted(
                    heldAt,
                    gpus,
                    resident.getOrDefault(execution.gpu(), "None"),
                    node.workload(),
                    seconds(execution.switchNs())));
      }
      lines.accept(
          "[%ss] Scheduled node %s of request %s on GPU(s) %s (start: %ss, end: %ss)"
              .formatted(
                  heldAt,
                  node.nodeId(),
                  request(execution).requestId(),
                  gpus,
                  seconds(execution.startedAtNs()),
                  seconds(execution.endedAtNs())));
      gpus.forEach(gpu -> resident.put(gpu, node.workload()));
    }

    @Override
    public void ended(NodeExecution execution) {
      if (lines == null) {
        return;
      }
      String requestId = request(execution).requestId();
      String endedAt = seconds(execution.endedAtNs());
      lines.accept(
          "[%ss] Completed node %s of request %s on GPU(s) %s"
              .formatted(
                  endedAt, node(execution).nodeId(), requestId, GraphSchedule.gpuIds(execution)));
      if (--nodesLeft[execution.request()] == 0) {
        lines.accept("[%ss] Request %s completed".formatted(endedAt, requestId));
      }
    }
  }
}
