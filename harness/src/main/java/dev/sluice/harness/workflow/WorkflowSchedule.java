package dev.sluice.harness.workflow;

import dev.sluice.scheduler.workflow.Workflows;
import dev.sluice.scheduling.workflow.Gpus;
import dev.sluice.scheduling.workflow.Graph;
import dev.sluice.scheduling.workflow.GraphListener;
import dev.sluice.scheduling.workflow.GraphRequest;
import dev.sluice.scheduling.workflow.GraphSimulation;
import dev.sluice.scheduling.workflow.NodeExecution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A finished schedule of workflows: what ran, or would, where and when, and its figures. */
public final class WorkflowSchedule {
  private static final long SEED = 42;
  private static final long NS_PER_HUNDREDTH = 10_000_000;

  private final List<GraphRequest> requests;
  private final int gpus;
  private final String policy;
  private final List<NodeExecution> executions = new ArrayList<>();

  /** By request; below 0: it did not come to its end. */
  private final long[] completedAtNs;

  private final List<Unfinished> unfinished;
  private final Attempts attemptsNotDone;

  /** The batches in which several nodes ran. */
  private final Set<Long> sharedBatches = new HashSet<>();

  private int completed;

  /**
   * A request that really ran, and was not completed.
   *
   * @param sent whether it ever was
   * @param failed whether a node failed; otherwise one was dropped
   */
  record Unfinished(GraphRequest request, boolean sent, boolean failed, String reason) {}

  /**
   * Batches that ran, and of which nothing is in the schedule: they failed, or were given up.
   *
   * @param heldNs how long they held GPUs, all of these together
   */
  record Attempts(int count, long heldNs) {
    static final Attempts NONE = new Attempts(0, 0);
  }

  private WorkflowSchedule(
      List<GraphRequest> requests,
      int gpus,
      String policy,
      List<Unfinished> unfinished,
      Attempts attemptsNotDone) {
    this.requests = requests;
    this.gpus = gpus;
    this.policy = policy;
    this.unfinished = unfinished;
    this.attemptsNotDone = attemptsNotDone;
    this.completedAtNs = new long[requests.size()];
    Arrays.fill(completedAtNs, -1);
  }

  /**
   * Schedules the requests.
   *
   * @param lines is told what happens, in the seed's words; null: nobody is
   */
  static WorkflowSchedule of(
      Workflows workflows, Gpus gpus, String policy, @Nullable Consumer<String> lines) {
    var schedule =
        new WorkflowSchedule(workflows.requests(), gpus.count(), policy, List.of(), Attempts.NONE);
    new GraphSimulation(
            workflows.models(),
            workflows.requests(),
            gpus,
            WorkflowSettings.newPolicy(policy),
            SEED,
            schedule.new Collector(lines))
        .run();
    schedule.executions.sort(Comparator.comparingLong(NodeExecution::startedAtNs)); // stable
    return schedule;
  }

  /**
   * The schedule of requests that really ran, told in the order of its times.
   *
   * @param outcomes all that is known of them
   * @param lines as above
   */
  static WorkflowSchedule executed(
      Workflows workflows,
      int gpus,
      String policy,
      WorkflowOutcomes outcomes,
      Consumer<String> lines) {
    List<NodeExecution> executions = outcomes.executions();
    var schedule =
        new WorkflowSchedule(
            workflows.requests(), gpus, policy, outcomes.unfinished(), outcomes.attemptsNotDone());
    Set<Long> seen = new HashSet<>();
    executions.stream()
        .map(NodeExecution::batch)
        .filter(batch -> !seen.add(batch))
        .forEach(schedule.sharedBatches::add);
    schedule.replay(executions, schedule.new Collector(lines));
    schedule.executions.sort(Comparator.comparingLong(NodeExecution::startedAtNs)); // stable
    return schedule;
  }

  /** Something that happened. */
  private record Moment(long atNs, Runnable telling) {}

  private void replay(List<NodeExecution> done, GraphListener listener) {
    List<Moment> moments = new ArrayList<>();
    Set<String> unsent = new HashSet<>();
    unfinished.stream().filter(of -> !of.sent()).forEach(of -> unsent.add(of.request().id()));
    for (int i = 0; i < requests.size(); i++) {
      int request = i;
      long atNs = requests.get(i).arrivedAtNs();
      if (!unsent.contains(requests.get(i).id())) {
        moments.add(new Moment(atNs, () -> listener.arrived(atNs, request)));
      }
    }
    int[] nodesLeft = requests.stream().mapToInt(r -> r.graph().nodes().size()).toArray();
    Map<Integer, String> resident = new HashMap<>();
    for (NodeExecution execution : done) {
      moments.add(
          new Moment(
              execution.heldAtNs(),
              () -> {
                listener.placed(execution, resident.get(execution.gpu()));
                gpuIds(execution).forEach(gpu -> resident.put(gpu, node(execution).model().id()));
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
    moments.sort(Comparator.comparingLong(Moment::atNs)); // stable
    moments.forEach(moment -> moment.telling().run());
  }

  String policy() {
    return policy;
  }

  int requests() {
    return requests.size();
  }

  /** In the order of their requests. */
  List<Unfinished> unfinished() {
    return unfinished;
  }

  long failed() {
    return unfinished.stream().filter(Unfinished::failed).count();
  }

  /** Completed requests with the times that their nodes took in this schedule. */
  List<GraphRequest> completedRequests() {
    long[][] tookNs =
        requests.stream().map(r -> new long[r.graph().nodes().size()]).toArray(long[][]::new);
    executions.forEach(e -> tookNs[e.request()][e.node()] = e.executionNs());
    return IntStream.range(0, requests.size())
        .filter(request -> completedAtNs[request] >= 0)
        .mapToObj(
            request -> {
              GraphRequest of = requests.get(request);
              return new GraphRequest(of.id(), of.graph(), of.arrivedAtNs(), tookNs[request]);
            })
        .toList();
  }

  /** Whether any request was promised anything. */
  boolean hasPromises() {
    return requests.stream().anyMatch(request -> request.graph().sloNs() < Long.MAX_VALUE);
  }

  /** Requests that were not completed as promised. */
  long sloViolations() {
    return IntStream.range(0, requests.size())
        .filter(
            request -> {
              GraphRequest of = requests.get(request);
              long sloNs = of.graph().sloNs();
              return sloNs < Long.MAX_VALUE
                  && (completedAtNs[request] < 0
                      || completedAtNs[request] - of.arrivedAtNs() > sloNs);
            })
        .count();
  }

  /** By start, then as they were placed. */
  List<NodeExecution> executions() {
    return executions;
  }

  GraphRequest request(NodeExecution execution) {
    return requests.get(execution.request());
  }

  Graph.Node node(NodeExecution execution) {
    return request(execution).graph().nodes().get(execution.node());
  }

  int completed() {
    return completed;
  }

  /** When the last node ended; 0: there was none. */
  long makespanNs() {
    return executions.stream().mapToLong(NodeExecution::endedAtNs).max().orElse(0);
  }

  /** Of each completed request, from its arrival to the end of its last node. */
  Sample completionNs() {
    return new Sample(
        IntStream.range(0, completedAtNs.length)
            .filter(request -> completedAtNs[request] >= 0)
            .mapToLong(request -> completedAtNs[request] - requests.get(request).arrivedAtNs())
            .toArray());
  }

  /** Of each node, from being ready to being placed. */
  Sample waitingNs() {
    return new Sample(executions.stream().mapToLong(NodeExecution::waitingNs).toArray());
  }

  /** Of each node, from being ready to its end. */
  Sample responseNs() {
    return new Sample(executions.stream().mapToLong(e -> e.endedAtNs() - e.readyAtNs()).toArray());
  }

  /** Those that waited for their model. */
  List<NodeExecution> switches() {
    return executions.stream().filter(e -> e.switchNs() > 0).toList();
  }

  /** Those of the switches that replaced no other model: the GPUs were empty. */
  List<NodeExecution> firstLoads() {
    return executions.stream().filter(e -> e.switchNs() > 0 && !e.replaces()).toList();
  }

  static long switchNs(List<NodeExecution> executions) {
    return executions.stream().mapToLong(NodeExecution::switchNs).sum();
  }

  /** By GPU: how many executions it had a part in. */
  long[] executionsByGpu() {
    long[] counts = new long[gpus];
    for (NodeExecution execution : executions) {
      for (int i = 0; i < execution.gpus(); i++) {
        counts[execution.gpu() + i]++;
      }
    }
    return counts;
  }

  /** By GPU: how long it was held, switches included. */
  long[] busyNsByGpu() {
    long[] busyNs = new long[gpus];
    Set<Long> batches = new HashSet<>();
    for (NodeExecution execution : executions) {
      if (!batches.add(execution.batch())) {
        continue;
      }
      for (int i = 0; i < execution.gpus(); i++) {
        busyNs[execution.gpu() + i] += execution.endedAtNs() - execution.heldAtNs();
      }
    }
    return busyNs;
  }

  /** What is not in the schedule, and held GPUs all the same. */
  Attempts attemptsNotDone() {
    return attemptsNotDone;
  }

  /** Whether any node shared its batch with another. */
  boolean sharesBatches() {
    return !sharedBatches.isEmpty();
  }

  /** Whether it shared its batch with another node. */
  boolean isShared(NodeExecution execution) {
    return sharedBatches.contains(execution.batch());
  }

  Map<String, Long> executionsByModel() {
    Map<String, Long> counts = new TreeMap<>();
    executions.forEach(e -> counts.merge(node(e).model().id(), 1L, Long::sum));
    return counts;
  }

  static List<Integer> gpuIds(NodeExecution execution) {
    return IntStream.range(execution.gpu(), execution.gpu() + execution.gpus()).boxed().toList();
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

  /** Durations and their figures; those of none are 0. */
  public static final class Sample {
    private final long[] sortedNs;

    public Sample(long[] ns) {
      sortedNs = ns;
      Arrays.sort(sortedNs);
    }

    double meanNs() {
      return Arrays.stream(sortedNs).asDoubleStream().sum() / Math.max(1, sortedNs.length);
    }

    /** Between the two nearest ranks in proportion, which is numpy's default. */
    public double percentileNs(double percent) {
      if (sortedNs.length == 0) {
        return 0;
      }
      double place = (sortedNs.length - 1) * percent / 100;
      int below = (int) place;
      int above = Math.min(below + 1, sortedNs.length - 1);
      return sortedNs[below] + (place - below) * (sortedNs[above] - sortedNs[below]);
    }
  }

  private final class Collector implements GraphListener {
    private final @Nullable Consumer<String> lines;

    Collector(@Nullable Consumer<String> lines) {
      this.lines = lines;
    }

    @Override
    public void arrived(long nowNs, int request) {
      if (lines != null) {
        GraphRequest of = requests.get(request);
        lines.accept(
            at(nowNs) + "Processing request " + of.id() + " (workflow: " + of.graph().id() + ")");
      }
    }

    @Override
    public void placed(NodeExecution execution, @Nullable String resident) {
      executions.add(execution);
      if (lines == null) {
        return;
      }
      Graph.Node node = node(execution);
      String where = " on GPU(s) " + gpuIds(execution);
      if (execution.switchNs() > 0) {
        lines.accept(
            at(execution.heldAtNs())
                + "Scheduling model switch"
                + where
                + " from "
                + (resident == null ? "None" : resident)
                + " to "
                + node.model().id()
                + " (switch time: "
                + seconds(execution.switchNs())
                + "s)");
      }
      lines.accept(
          at(execution.heldAtNs())
              + "Scheduled node "
              + node.id()
              + " of request "
              + request(execution).id()
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
                + node(execution).id()
                + " of request "
                + request(execution).id()
                + " on GPU(s) "
                + gpuIds(execution));
      }
    }

    @Override
    public void completed(long nowNs, int request) {
      completed++;
      completedAtNs[request] = nowNs;
      if (lines != null) {
        lines.accept(at(nowNs) + "Request " + requests.get(request).id() + " completed");
      }
    }

    private static String at(long ns) {
      return "[" + seconds(ns) + "s] ";
    }
  }
}
