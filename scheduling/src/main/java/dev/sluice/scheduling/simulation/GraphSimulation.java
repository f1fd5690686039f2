package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests over GPUs in virtual time, scheduled by the core and a policy. Events happen by
 * time and at one instant in the order in which they were made: arrivals in the order of the list,
 * then the ends of nodes as these were placed. After each the policy is asked. A GPU is free from
 * the instant at which its work ends, whatever event of that instant comes first.
 */
public final class GraphSimulation {
  /** Backend and precision that each node of a simulated request names. */
  public static final String BACKEND = "gpu";

  public static final String PRECISION = "fp32";

  private static final String EXECUTOR = "gpus";

  private final List<WorkflowRequested> requests;
  private final Gpus gpus;
  private final GraphListener listener;
  private final Map<String, GpuModel> modelById;
  private final SchedulingCore core;
  private final String policy;

  private final @Nullable GpuModel[] resident;

  /** Places of the requests in the list, by their indexes. */
  private final int[] byArrival;

  /** Place of the first node of each request, in the order of the list, among all nodes. */
  private final int[] firstNode;

  /**
   * Time that each node takes. It is here in one piece, since most of a simulation is waiting for
   * memory.
   */
  private final long[] expectedNs;

  /** Running nodes by the time of their ends, then as they were placed. */
  private final PriorityQueue<Running> running =
      new PriorityQueue<>(
          Comparator.comparingLong((Running r) -> r.execution.endedAtNs())
              .thenComparingLong(r -> r.execution.batch()));

  /** Nodes whose GPUs are free, and whose end is still to happen. */
  private final Queue<NodeExecution> ending = new ArrayDeque<>();

  private final Placing placing = new Placing();
  private long nowNs;

  /** Number of the next fact; that of the run's beginning, which may start nodes, is 0. */
  private long factId = -1;

  private long placed;

  private record Running(BatchDispatched dispatch, NodeExecution execution) {}

  /**
   * @param settings settings of the core, without the cost of switches
   * @param models all models that the requests' nodes run
   * @param requests requests whose nodes need no more GPUs at once than there are; their indexes
   *     count them from 0 in the order of their arrivals
   */
  public GraphSimulation(
      CoreSettings settings,
      List<GpuModel> models,
      List<WorkflowRequested> requests,
      Gpus gpus,
      SchedulingPolicy policy,
      GraphListener listener) {
    this.requests = requests;
    this.gpus = gpus;
    this.listener = listener;
    this.policy = policy.getClass().getSimpleName();
    this.modelById =
        models.stream().collect(Collectors.toUnmodifiableMap(GpuModel::id, Function.identity()));
    this.core =
        new SchedulingCore(
            settings.with(
                new CoreSettings.Placing(
                    settings.placing().ahead(),
                    settings.placing().cpuFallback(),
                    this::switchNs,
                    settings.placing().laneBytes())),
            policy);
    this.resident = new GpuModel[gpus.count()];
    this.byArrival = new int[requests.size()];
    this.firstNode = new int[requests.size()];
    int nodes = 0;
    for (int i = 0; i < byArrival.length; i++) {
      byArrival[(int) requests.get(i).index()] = i;
      firstNode[i] = nodes;
      nodes += requests.get(i).nodes().size();
    }
    this.expectedNs =
        requests.stream()
            .flatMap(request -> request.nodes().stream())
            .mapToLong(WorkflowRequested.Node::expectedNs)
            .toArray();
  }

  private long switchNs(@Nullable String from, String to) {
    return gpus.switchNs(from == null ? null : modelById.get(from), model(to));
  }

  private GpuModel model(String id) {
    return Objects.requireNonNull(modelById.get(id), id);
  }

  /** Runs all requests to their ends. Must be called once only. */
  public void run() {
    core.apply(factId++, nowNs, gpusAsExecutor(), placing);
    core.apply(factId++, nowNs, new RunStarted("", 0, 0, "", "", 1, 1, null), placing);
    int arrived = 0;
    while (true) {
      long arrivalAtNs =
          arrived == byArrival.length
              ? Long.MAX_VALUE
              : requests.get(byArrival[arrived]).intendedAtNs();
      if (ending.isEmpty()) {
        nowNs = Math.min(Math.min(arrivalAtNs, nextEndNs()), core.wakeAtNs());
        if (nowNs == Long.MAX_VALUE) {
          break;
        }
      }
      freeGpus();
      if (arrivalAtNs == nowNs) {
        int request = byArrival[arrived++];
        listener.arrived(nowNs, request);
        core.apply(factId++, nowNs, requests.get(request), placing);
      } else if (!ending.isEmpty()) {
        end(ending.remove());
      } else {
        core.apply(factId++, nowNs, new Ticked(), placing);
      }
    }
    if (core.waiting() > 0) {
      throw new IllegalStateException(
          "%s left (%d) nodes waiting beside idle GPUs".formatted(policy, core.waiting()));
    }
  }

  private ExecutorReported gpusAsExecutor() {
    List<Capability> capabilities =
        modelById.values().stream()
            .sorted(Comparator.comparing(GpuModel::id))
            .map(
                model ->
                    new Capability(
                        model.id(),
                        BACKEND,
                        PRECISION,
                        0,
                        model.typicalNs() == 0
                            ? List.of()
                            : List.of(new WarmUp(1, model.typicalNs()))))
            .toList();
    List<Lane> lanes =
        IntStream.range(0, gpus.count()).mapToObj(gpu -> new Lane(gpu, List.of())).toList();
    return ExecutorReported.of(EXECUTOR, 1, false, BACKEND, null, lanes, capabilities);
  }

  private long nextEndNs() {
    Running next = running.peek();
    return next == null ? Long.MAX_VALUE : next.execution.endedAtNs();
  }

  /** Frees the GPUs of all nodes that end by now; the ends themselves are handled in their turn. */
  private void freeGpus() {
    while (nextEndNs() <= nowNs) {
      Running ended = running.remove();
      NodeExecution execution = ended.execution;
      ending.add(execution);
      core.free(
          nowNs,
          BatchCompleted.done(
              ended.dispatch.dispatchId(),
              EXECUTOR,
              1,
              execution.gpu(),
              execution.startedAtNs(),
              execution.executionNs(),
              1),
          placing);
    }
  }

  private void end(NodeExecution execution) {
    listener.ended(execution);
    core.release(factId++, nowNs, placing);
  }

  private void place(BatchDispatched dispatch, JobSpec job) {
    JobSpec.Node node = Objects.requireNonNull(job.node());
    int request = byArrival[(int) node.workflow()];
    GpuModel model = model(job.workload());
    int first = dispatch.lanes().get(0);
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
            node.place(),
            first,
            model.gpus(),
            job.intendedAtNs(), // the core releases a node at the end of its last input
            switchNs,
            replaces,
            nowNs + switchNs,
            expectedNs[firstNode[request] + node.place()],
            placed++);
    running.add(new Running(dispatch, execution));
    listener.placed(execution);
  }

  /** Listener that places what starts. It fails on any other answer, which would lose a node. */
  private final class Placing implements CoreListener {
    @Override
    public void started(BatchDispatched dispatch, JobSpec first) {
      place(dispatch, first);
    }

    @Override
    public void ended(JobEnded end) {
      if (end.status() != JobEnded.Status.DONE) {
        throw new IllegalStateException("a node was not run: " + end);
      }
    }
  }

  public interface GraphListener {
    void arrived(long nowNs, int request);

    void placed(NodeExecution execution);

    void ended(NodeExecution execution);
  }
}
