package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.WorkflowRequested;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A finished schedule of requests, simulated or executed, and its figures. Immutable. */
public final class GraphSchedule {
  private final List<WorkflowRequested> requests;
  private final int gpus;
  private final String policy;
  private final List<NodeExecution> executions;

  /** Ends of the requests by index; below 0 for a request that was not completed. */
  private final long[] completedAtNs;

  private final List<UnfinishedRequest> unfinished;
  private final Attempts attemptsNotDone;

  /** Numbers of the batches in which several nodes ran. */
  private final Set<Long> sharedBatches = new HashSet<>();

  /**
   * @param executions in the order in which they were placed
   * @param unfinished in the order of the list
   */
  public GraphSchedule(
      List<WorkflowRequested> requests,
      int gpus,
      String policy,
      List<NodeExecution> executions,
      List<UnfinishedRequest> unfinished,
      Attempts attemptsNotDone) {
    this.requests = List.copyOf(requests);
    this.gpus = gpus;
    this.policy = policy;
    this.executions =
        executions.stream()
            .sorted(Comparator.comparingLong(NodeExecution::startedAtNs)) // stable
            .toList();
    this.completedAtNs = completedAtNs(requests, executions);
    this.unfinished = List.copyOf(unfinished);
    this.attemptsNotDone = attemptsNotDone;
    Set<Long> seen = new HashSet<>();
    executions.stream()
        .map(NodeExecution::batch)
        .filter(batch -> !seen.add(batch))
        .forEach(sharedBatches::add);
  }

  /** Returns the end of each request's last node; below 0 if not all of its nodes were executed. */
  private static long[] completedAtNs(
      List<WorkflowRequested> requests, List<NodeExecution> executions) {
    long[] endedAtNs = new long[requests.size()];
    int[] nodesLeft = requests.stream().mapToInt(request -> request.nodes().size()).toArray();
    for (NodeExecution execution : executions) {
      int request = execution.request();
      endedAtNs[request] = Math.max(endedAtNs[request], execution.endedAtNs());
      nodesLeft[request]--;
    }
    Arrays.setAll(endedAtNs, request -> nodesLeft[request] == 0 ? endedAtNs[request] : -1);
    return endedAtNs;
  }

  public String policy() {
    return policy;
  }

  /** Returns how many requests there were, completed or not. */
  public int requests() {
    return requests.size();
  }

  public List<UnfinishedRequest> unfinished() {
    return unfinished;
  }

  /** Returns how many requests were not completed because a node failed. */
  public long failed() {
    return unfinished.stream().filter(UnfinishedRequest::failed).count();
  }

  /** Completed requests, whose nodes are expected to take what they took in this schedule. */
  public List<WorkflowRequested> completedRequests() {
    long[][] tookNs = requests.stream().map(r -> new long[r.nodes().size()]).toArray(long[][]::new);
    executions.forEach(e -> tookNs[e.request()][e.node()] = e.executionNs());
    return IntStream.range(0, requests.size())
        .filter(request -> completedAtNs[request] >= 0)
        .mapToObj(request -> requests.get(request).expecting(tookNs[request]))
        .toList();
  }

  public boolean hasPromises() {
    return requests.stream().anyMatch(request -> request.sloNs() != null);
  }

  /** Returns how many requests were not completed within their promise. */
  public long sloViolations() {
    return IntStream.range(0, requests.size())
        .filter(
            request -> {
              WorkflowRequested of = requests.get(request);
              Long sloNs = of.sloNs();
              return sloNs != null
                  && (completedAtNs[request] < 0
                      || completedAtNs[request] - of.intendedAtNs() > sloNs);
            })
        .count();
  }

  /** Executions by their start, then in the order in which they were placed. */
  public List<NodeExecution> executions() {
    return executions;
  }

  public WorkflowRequested request(NodeExecution execution) {
    return requests.get(execution.request());
  }

  public WorkflowRequested.Node node(NodeExecution execution) {
    return request(execution).nodes().get(execution.node());
  }

  public int completed() {
    return (int) Arrays.stream(completedAtNs).filter(ns -> ns >= 0).count();
  }

  /** Returns the end of the last node; 0 if there was none. */
  public long makespanNs() {
    return executions.stream().mapToLong(NodeExecution::endedAtNs).max().orElse(0);
  }

  /** Durations of the completed requests, from arrival to the end of the last node. */
  public Durations completionNs() {
    return new Durations(
        IntStream.range(0, completedAtNs.length)
            .filter(request -> completedAtNs[request] >= 0)
            .mapToLong(request -> completedAtNs[request] - requests.get(request).intendedAtNs())
            .toArray());
  }

  /** Durations from a node being ready to its being placed. */
  public Durations waitingNs() {
    return new Durations(executions.stream().mapToLong(NodeExecution::waitingNs).toArray());
  }

  public Durations responseNs() {
    return new Durations(
        executions.stream().mapToLong(e -> e.endedAtNs() - e.readyAtNs()).toArray());
  }

  public List<NodeExecution> switches() {
    return executions.stream().filter(e -> e.switchNs() > 0).toList();
  }

  /** Executions that waited for their model and replaced no other: their GPUs were empty. */
  public List<NodeExecution> firstLoads() {
    return executions.stream().filter(e -> e.switchNs() > 0 && !e.replaces()).toList();
  }

  /** Returns the time that the executions waited for their models, all together. */
  public static long switchNs(List<NodeExecution> executions) {
    return executions.stream().mapToLong(NodeExecution::switchNs).sum();
  }

  /** Returns, by GPU, the number of executions that held it. */
  public long[] executionsByGpu() {
    long[] counts = new long[gpus];
    for (NodeExecution execution : executions) {
      for (int i = 0; i < execution.gpus(); i++) {
        counts[execution.gpu() + i]++;
      }
    }
    return counts;
  }

  /** Returns, by GPU, the time for which it was held, switches included. */
  public long[] busyNsByGpu() {
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

  public Attempts attemptsNotDone() {
    return attemptsNotDone;
  }

  public boolean sharesBatches() {
    return !sharedBatches.isEmpty();
  }

  public boolean isShared(NodeExecution execution) {
    return sharedBatches.contains(execution.batch());
  }

  /** Counts of executions by the model's id, in alphabetical order. */
  public Map<String, Long> executionsByModel() {
    Map<String, Long> counts = new TreeMap<>();
    executions.forEach(e -> counts.merge(node(e).workload(), 1L, Long::sum));
    return counts;
  }

  public static List<Integer> gpuIds(NodeExecution execution) {
    return IntStream.range(execution.gpu(), execution.gpu() + execution.gpus()).boxed().toList();
  }

  /** Durations and their figures; every figure of no durations is 0. Immutable. */
  public static final class Durations {
    private final long[] sortedNs;

    /** Takes the durations in any order. */
    public Durations(long[] ns) {
      sortedNs = ns.clone();
      Arrays.sort(sortedNs);
    }

    public double meanNs() {
      return Arrays.stream(sortedNs).asDoubleStream().sum() / Math.max(1, sortedNs.length);
    }

    /** Returns the percentile between the nearest ranks in proportion, numpy's default. */
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

  /**
   * Lower bounds that no schedule can beat, even if models were loaded in no time.
   *
   * @param makespanNs earliest end of the last node: all work shared evenly among the GPUs, or the
   *     longest path through a request from its arrival
   * @param meanCompletionNs mean over requests of the longest path through each
   */
  public record LowerBound(long makespanNs, double meanCompletionNs) {
    /** Returns the bounds for a list of requests; both are 0 for an empty list. */
    public static LowerBound of(List<WorkflowRequested> requests, int gpus) {
      double workNs = 0;
      long latestNs = 0;
      double pathsNs = 0;
      for (WorkflowRequested request : requests) {
        long longestNs = 0;
        for (long pathNs : request.pathsNs()) {
          longestNs = Math.max(longestNs, pathNs);
        }
        for (WorkflowRequested.Node node : request.nodes()) {
          workNs += (double) node.expectedNs() * node.lanes();
        }
        latestNs = Math.max(latestNs, request.intendedAtNs() + longestNs);
        pathsNs += longestNs;
      }
      return new LowerBound(
          Math.max(latestNs, (long) (workNs / gpus)), pathsNs / Math.max(1, requests.size()));
    }
  }

  /**
   * A request that was executed and not completed.
   *
   * @param sent whether the request was ever sent
   * @param failed whether a node failed; otherwise one was dropped
   */
  public record UnfinishedRequest(
      WorkflowRequested request, boolean sent, boolean failed, String reason) {}

  /** Batches that failed or were given up, and the total time for which they held GPUs. */
  public record Attempts(int count, long heldNs) {
    public static final Attempts NONE = new Attempts(0, 0);
  }
}
