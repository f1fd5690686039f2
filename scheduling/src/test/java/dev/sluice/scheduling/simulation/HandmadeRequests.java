package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Requests made by hand. */
final class HandmadeRequests {
  private HandmadeRequests() {}

  static WorkflowRequested.Node node(String id, GpuModel model, List<Integer> inputs) {
    return new WorkflowRequested.Node(
        id,
        model.id(),
        GraphSimulation.BACKEND,
        GraphSimulation.PRECISION,
        1,
        model.gpus(),
        0,
        inputs);
  }

  /** A request without a promise, which is not numbered yet. */
  static WorkflowRequested request(
      String id, List<WorkflowRequested.Node> nodes, long arrivedAtNs, long... executionNs) {
    return request(id, null, nodes, arrivedAtNs, executionNs);
  }

  static WorkflowRequested request(
      String id,
      Long sloNs,
      List<WorkflowRequested.Node> nodes,
      long arrivedAtNs,
      long... executionNs) {
    return new WorkflowRequested(id, 0, 0, "graph", "batch", sloNs, arrivedAtNs, 0, nodes)
        .expecting(executionNs);
  }

  /** The requests, with indexes that rise with their arrivals. */
  static List<WorkflowRequested> numbered(List<WorkflowRequested> requests) {
    List<Integer> byArrival =
        IntStream.range(0, requests.size())
            .boxed()
            .sorted(Comparator.comparingLong(i -> requests.get(i).intendedAtNs()))
            .toList();
    List<WorkflowRequested> numbered = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      WorkflowRequested of = requests.get(i);
      numbered.add(
          new WorkflowRequested(
              of.requestId(),
              0,
              byArrival.indexOf(i),
              of.workflowId(),
              of.classType(),
              of.sloNs(),
              of.intendedAtNs(),
              0,
              of.nodes()));
    }
    return numbered;
  }

  static CoreSettings settings(List<GpuModel> models) {
    return CoreSettings.of(
        42,
        List.of(new JobClass("batch", 1, false, false)),
        models.stream()
            .map(GpuModel::id)
            .collect(Collectors.toMap(Function.identity(), model -> 0)));
  }

  static Map<String, GpuModel> byId(List<GpuModel> models) {
    return models.stream().collect(Collectors.toMap(GpuModel::id, Function.identity()));
  }
}
