package dev.sluice.harness.workflow;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.producer.requests.ArrivalList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Requests of workflows by their arrivals, each sent as its graph of jobs. */
record WorkflowLoad(
    List<WorkflowRequested> byArrival, Map<String, Integer> indexByRequest, String digest)
    implements ArrivalList {
  static WorkflowLoad of(List<WorkflowRequested> requests, String digest) {
    List<WorkflowRequested> byArrival =
        requests.stream().sorted(Comparator.comparingLong(WorkflowRequested::index)).toList();
    Map<String, Integer> indexes = new HashMap<>();
    byArrival.forEach(request -> indexes.put(request.requestId(), indexes.size()));
    return new WorkflowLoad(byArrival, indexes, digest);
  }

  @Override
  public int size() {
    return byArrival.size();
  }

  @Override
  public long intendedAtNs(int index) {
    return byArrival.get(index).intendedAtNs();
  }

  @Override
  public WorkflowRequested get(int index, int generator, long intendedAtNs, long sentAtNs) {
    return byArrival.get(index).sentAt(sentAtNs);
  }

  /** A job is called request/node, and a node's name has no slash where nodes really run. */
  @Override
  public int indexOf(String jobId) {
    int slash = jobId.lastIndexOf('/');
    return slash < 0 ? -1 : indexByRequest.getOrDefault(jobId.substring(0, slash), -1);
  }

  @Override
  public int jobs(int index) {
    return byArrival.get(index).nodes().size();
  }

  int jobs() {
    return byArrival.stream().mapToInt(request -> request.nodes().size()).sum();
  }

  @Override
  public List<ModelKey> models() {
    return byArrival.stream()
        .flatMap(request -> request.nodes().stream().map(WorkflowRequested.Node::model))
        .distinct()
        .toList();
  }
}
