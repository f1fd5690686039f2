package dev.sluice.scheduling.simulation;

import static java.util.Comparator.comparingLong;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The baseline's rules applied by scanning plain lists: what {@code ray_like} must be equal to. */
final class NaiveBaseline {
  private static final class Gpu {
    GpuModel holds;
    long availableAtNs;
    boolean takenNow;
  }

  private record Ready(int request, int node, long atNs) {}

  /** An arrival if there is no execution. */
  private record Event(long atNs, long number, int request, NodeExecution ended) {}

  private final List<WorkflowRequested> requests;
  private final Map<String, GpuModel> models;
  private final Gpus gpus;
  private final List<Gpu> states;
  private final List<Event> events = new ArrayList<>();
  private final List<Ready> ready = new ArrayList<>();
  private final List<NodeExecution> placed = new ArrayList<>();
  private final List<List<Integer>> done = new ArrayList<>();
  private long numbers;

  NaiveBaseline(List<GpuModel> models, List<WorkflowRequested> requests, Gpus gpus) {
    this.models = HandmadeRequests.byId(models);
    this.requests = requests;
    this.gpus = gpus;
    this.states = IntStream.range(0, gpus.count()).mapToObj(i -> new Gpu()).toList();
  }

  List<NodeExecution> run() {
    for (int i = 0; i < requests.size(); i++) {
      events.add(new Event(requests.get(i).intendedAtNs(), numbers++, i, null));
      done.add(new ArrayList<>());
    }
    while (!events.isEmpty()) {
      Event next =
          events.stream()
              .min(comparingLong(Event::atNs).thenComparingLong(Event::number))
              .orElseThrow();
      events.remove(next);
      if (next.ended != null) {
        done.get(next.request).add(next.ended.node());
      }
      makeReady(next);
      scan(next.atNs);
    }
    return placed;
  }

  private void makeReady(Event event) {
    List<WorkflowRequested.Node> nodes = requests.get(event.request).nodes();
    for (int node = 0; node < nodes.size(); node++) {
      boolean freed =
          event.ended == null
              ? nodes.get(node).inputs().isEmpty()
              : nodes.get(node).inputs().contains(event.ended.node())
                  && done.get(event.request).containsAll(nodes.get(node).inputs());
      if (freed) {
        ready.add(new Ready(event.request, node, event.atNs));
      }
    }
  }

  private void scan(long nowNs) {
    states.forEach(gpu -> gpu.takenNow = false);
    for (Ready job : List.copyOf(ready)) {
      WorkflowRequested request = requests.get(job.request);
      GpuModel model = models.get(request.nodes().get(job.node).workload());
      int first = find(model, nowNs);
      if (first >= 0) {
        ready.remove(job);
        place(job, request, model, first, nowNs);
      }
    }
  }

  private int find(GpuModel model, long nowNs) {
    int[] free =
        IntStream.range(0, states.size())
            .filter(i -> states.get(i).availableAtNs <= nowNs && !states.get(i).takenNow)
            .toArray();
    if (model.gpus() > 1) {
      return IntStream.of(free)
          .filter(
              i ->
                  IntStream.range(i, i + model.gpus())
                      .allMatch(j -> Arrays.binarySearch(free, j) >= 0))
          .findFirst()
          .orElse(-1);
    }
    return IntStream.of(free)
        .filter(i -> states.get(i).holds == model)
        .findFirst()
        .orElseGet(
            () ->
                IntStream.of(free)
                    .boxed()
                    .min(comparingLong(i -> states.get(i).availableAtNs))
                    .orElse(-1));
  }

  private void place(Ready job, WorkflowRequested request, GpuModel model, int first, long nowNs) {
    List<Gpu> taken = states.subList(first, first + model.gpus());
    List<Gpu> charged = gpus.gangSwitch() == Gpus.GangSwitch.FIRST ? taken.subList(0, 1) : taken;
    long switchNs = charged.stream().mapToLong(gpu -> switchNs(gpu.holds, model)).max().orElse(0);
    boolean replaces = charged.stream().anyMatch(gpu -> gpu.holds != null && gpu.holds != model);
    NodeExecution execution =
        new NodeExecution(
            job.request,
            job.node,
            first,
            model.gpus(),
            job.atNs,
            switchNs,
            replaces,
            nowNs + switchNs,
            request.nodes().get(job.node).expectedNs(),
            placed.size());
    placed.add(execution);
    for (Gpu gpu : taken) {
      gpu.holds = model;
      gpu.availableAtNs = execution.endedAtNs();
      gpu.takenNow = true;
    }
    events.add(new Event(execution.endedAtNs(), numbers++, job.request, execution));
  }

  private long switchNs(GpuModel from, GpuModel to) {
    if (from == to) {
      return 0;
    }
    return from == null
        ? to.loadNs()
        : Math.round((from.memoryGb() + to.memoryGb()) / gpus.bandwidthGbPerSecond() * 1e9)
            + gpus.overheadNs();
  }
}
