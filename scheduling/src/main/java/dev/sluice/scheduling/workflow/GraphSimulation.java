package dev.sluice.scheduling.workflow;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests over GPUs in virtual time, scheduled by the core and a policy. Events happen by
 * time and at one instant in the order in which they were made: arrivals in the order of the list,
 * then the ends of nodes as these were placed. After each the policy is asked. A GPU is free from
 * the instant at which its work ends, whatever event of that instant comes first. Nodes are
 * released here and not by the core, which would release those of all ends of an instant at once:
 * another schedule where nodes take no time.
 */
public final class GraphSimulation {
  private static final String EXECUTOR = "gpus";

  private final List<GraphRequest> requests;
  private final Gpus gpus;
  private final GraphListener listener;
  private final Map<String, GpuModel> modelById;
  private final SchedulingCore core;
  private final String policy;

  /** Model that each GPU holds; null: none. */
  private final @Nullable GpuModel[] resident;

  /** Index of each request's first node among all nodes. */
  private final int[] firstNode;

  // by node among all nodes
  private final int[] inputsLeft;
  private final long[] readyAtNs;
  private final long[] pathNs;

  private long jobs;

  private final int[] nodesLeft;

  /** Running nodes by the time of their ends, then as they were placed. */
  private final PriorityQueue<Running> running =
      new PriorityQueue<>(
          Comparator.comparingLong((Running r) -> r.execution.endedAtNs())
              .thenComparingLong(Running::number));

  /** Nodes whose GPUs are free, and whose end is still to happen. */
  private final Queue<Running> ending = new ArrayDeque<>();

  private final List<Fact> facts = new ArrayList<>();
  private final List<JobSpec> released = new ArrayList<>();

  /** Places of the nodes that wait, by the name of their jobs. */
  private final Map<String, JobSpec.Node> placeByJob = new HashMap<>();

  private long nowNs;
  private long factId;
  private long placed;

  private record Running(long number, BatchDispatched dispatch, NodeExecution execution) {}

  /**
   * @param models all models that the requests' nodes run
   * @param requests requests whose nodes need no more GPUs at once than there are
   * @param seed seed of the policy's random draws
   */
  public GraphSimulation(
      List<GpuModel> models,
      List<GraphRequest> requests,
      Gpus gpus,
      SchedulingPolicy policy,
      long seed,
      GraphListener listener) {
    this.requests = requests;
    this.gpus = gpus;
    this.listener = listener;
    this.policy = policy.getClass().getSimpleName();
    this.modelById =
        models.stream().collect(Collectors.toUnmodifiableMap(GpuModel::id, Function.identity()));
    this.core = new SchedulingCore(settings(models, seed), policy);
    this.resident = new GpuModel[gpus.count()];
    this.firstNode = new int[requests.size()];
    this.nodesLeft = new int[requests.size()];
    int nodes = 0;
    for (int request = 0; request < firstNode.length; request++) {
      firstNode[request] = nodes;
      nodesLeft[request] = requests.get(request).graph().size();
      nodes = Math.addExact(nodes, nodesLeft[request]);
    }
    this.inputsLeft = new int[nodes];
    this.readyAtNs = new long[nodes];
    this.pathNs = new long[nodes];
  }

  private CoreSettings settings(List<GpuModel> models, long seed) {
    return CoreSettings.of(
            seed,
            Graph.CLASSES,
            models.stream().collect(Collectors.toMap(GpuModel::id, model -> 0)))
        .with(this::switchNs);
  }

  private long switchNs(@Nullable String from, String to) {
    GpuModel model = modelById.get(to);
    if (model == null) {
      throw new IllegalStateException("a job of a model (" + to + ") that nobody knows");
    }
    return gpus.switchNs(from == null ? null : modelById.get(from), model);
  }

  /** Runs all requests to their ends. Must be called once only. */
  public void run() {
    int[] arrivals = GraphRequest.byArrival(requests);
    int arrived = 0;
    facts.add(gpusAsExecutor());
    facts.add(new RunStarted("", 0, 0, "", "", 1, 1, null));
    apply();
    while (true) {
      long arrivalAtNs =
          arrived == arrivals.length
              ? Long.MAX_VALUE
              : requests.get(arrivals[arrived]).arrivedAtNs();
      if (ending.isEmpty()) {
        nowNs = Math.min(Math.min(arrivalAtNs, nextEndNs()), core.wakeAtNs());
        if (nowNs == Long.MAX_VALUE) {
          break;
        }
      }
      freeGpus();
      if (arrivalAtNs == nowNs) {
        arrive(arrivals[arrived++]);
      } else if (!ending.isEmpty()) {
        end(ending.remove().execution);
      } else {
        facts.add(new Ticked());
      }
      apply();
    }
    if (core.waiting() > 0) {
      throw new IllegalStateException(
          "%s left (%d) nodes waiting beside idle GPUs".formatted(policy, core.waiting()));
    }
  }

  private ExecutorReported gpusAsExecutor() {
    List<Capability> capabilities = new ArrayList<>();
    for (GpuModel model :
        modelById.values().stream().sorted(Comparator.comparing(GpuModel::id)).toList()) {
      List<WarmUp> known =
          model.typicalNs() == 0 ? List.of() : List.of(new WarmUp(1, model.typicalNs()));
      capabilities.add(new Capability(model.id(), Graph.BACKEND, Graph.PRECISION, 0, known));
    }
    List<Lane> lanes = new ArrayList<>();
    for (int gpu = 0; gpu < gpus.count(); gpu++) {
      lanes.add(new Lane(gpu, List.of()));
    }
    return ExecutorReported.alive(EXECUTOR, 1, Graph.BACKEND, null, lanes, capabilities);
  }

  private long nextEndNs() {
    Running next = running.peek();
    return next == null ? Long.MAX_VALUE : next.execution.endedAtNs();
  }

  /** Frees the GPUs of all nodes that end by now; the ends themselves are handled in their turn. */
  private void freeGpus() {
    while (nextEndNs() <= nowNs) {
      Running ended = running.remove();
      ending.add(ended);
      facts.add(
          BatchCompleted.done(
              ended.dispatch.dispatchId(),
              EXECUTOR,
              1,
              ended.execution.gpu(),
              ended.execution.startedAtNs(),
              ended.execution.executionNs(),
              1));
    }
  }

  private void arrive(int request) {
    listener.arrived(nowNs, request);
    GraphRequest arriving = requests.get(request);
    Graph graph = arriving.graph();
    System.arraycopy(arriving.pathsNs(), 0, pathNs, firstNode[request], graph.size());
    for (int node = 0; node < graph.size(); node++) {
      inputsLeft[firstNode[request] + node] = graph.jobs().inputs(node);
      if (graph.jobs().inputs(node) == 0) {
        release(request, node);
      }
    }
  }

  private void release(int request, int node) {
    GraphRequest of = requests.get(request);
    GpuModel model = of.graph().model(node);
    int place = firstNode[request] + node;
    readyAtNs[place] = nowNs;
    String jobId = of.id() + "/" + of.graph().nodes().get(node).id();
    var itsPlace = new JobSpec.Node(request, node, pathNs[place]);
    placeByJob.put(jobId, itsPlace);
    released.add(
        new JobSpec(
            jobId,
            0,
            jobs++,
            of.graph().classType(),
            model.id(),
            Graph.BACKEND,
            Graph.PRECISION,
            1,
            model.gpus(),
            of.sloLeftNs(nowNs),
            nowNs,
            itsPlace));
  }

  private void end(NodeExecution execution) {
    listener.ended(execution);
    int request = execution.request();
    for (int output : requests.get(request).graph().jobs().outputs(execution.node())) {
      if (--inputsLeft[firstNode[request] + output] == 0) {
        release(request, output);
      }
    }
    if (--nodesLeft[request] == 0) {
      listener.completed(nowNs, request);
    }
  }

  private void apply() {
    core.apply(factId++, nowNs, facts, released, new Placing());
    facts.clear();
    released.clear();
  }

  private void place(BatchDispatched dispatch) {
    JobSpec.Node place = Objects.requireNonNull(placeByJob.remove(dispatch.jobs().get(0).jobId()));
    int request = Math.toIntExact(place.workflow());
    int node = place.place();
    GraphRequest of = requests.get(request);
    GpuModel model = of.graph().model(node);
    int first = dispatch.lanes().get(0);
    GpuModel firstHeld = resident[first];
    int waitsFor = gpus.gangSwitch() == Gpus.GangSwitch.FIRST ? 1 : model.gpus();
    long switchNs = 0;
    boolean replaces = false;
    for (int gpu = first; gpu < first + waitsFor; gpu++) {
      GpuModel held = resident[gpu];
      switchNs = Math.max(switchNs, gpus.switchNs(held, model));
      replaces |= held != null && !held.id().equals(model.id());
    }
    for (int gpu = first; gpu < first + model.gpus(); gpu++) {
      resident[gpu] = model;
    }
    NodeExecution execution =
        new NodeExecution(
            request,
            node,
            first,
            model.gpus(),
            readyAtNs[firstNode[request] + node],
            switchNs,
            replaces,
            nowNs + switchNs,
            of.executionNs(node),
            placed);
    running.add(new Running(placed++, dispatch, execution));
    listener.placed(execution, firstHeld == null ? null : firstHeld.id());
  }

  /**
   * Listener that places what the core starts. It fails on any other answer, which would lose a
   * node.
   */
  private final class Placing implements CoreListener {
    @Override
    public void started(BatchDispatched dispatch) {
      place(dispatch);
    }

    @Override
    public void ended(JobEnded end) {
      if (end.status() != JobEnded.Status.DONE) {
        throw new IllegalStateException("a node was not run: " + end);
      }
    }

    @Override
    public void blocked(Blocked span) {}
  }
}
