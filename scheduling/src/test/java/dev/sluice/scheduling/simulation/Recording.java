package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import dev.sluice.scheduling.simulation.GraphSimulation.GraphListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a simulation told. */
final class Recording implements GraphListener {
  final List<NodeExecution> placed = new ArrayList<>();
  final List<NodeExecution> ended = new ArrayList<>();
  final List<String> told = new ArrayList<>();

  static Recording of(
      String policy, List<GpuModel> models, List<WorkflowRequested> requests, Gpus gpus) {
    Recording recording = new Recording();
    new GraphSimulation(
            HandmadeRequests.settings(models),
            models,
            HandmadeRequests.numbered(requests),
            gpus,
            Policies.create(policy, Map.of()),
            recording)
        .run();
    return recording;
  }

  static Recording of(String policy, RandomGraphs random) {
    return of(policy, random.models, random.requests, random.gpus);
  }

  @Override
  public void arrived(long nowNs, int request) {
    told.add(nowNs + " arrived " + request);
  }

  @Override
  public void placed(NodeExecution execution) {
    placed.add(execution);
    told.add("placed " + execution);
  }

  @Override
  public void ended(NodeExecution execution) {
    ended.add(execution);
    told.add("ended " + execution);
  }
}
