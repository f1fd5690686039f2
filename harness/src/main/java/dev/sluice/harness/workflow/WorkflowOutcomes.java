package dev.sluice.harness.workflow;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.simulation.GraphSchedule.Attempts;
import dev.sluice.scheduling.simulation.GraphSchedule.UnfinishedRequest;
import dev.sluice.scheduling.simulation.NodeExecution;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects the outcomes of a run's requests from the run's events, of which several of one dispatch
 * count once. Not thread-safe.
 */
final class WorkflowOutcomes implements LogFold {
  private final List<WorkflowRequested> requests;

  private final Map<String, Place> placeByJob = new HashMap<>();
  private final Map<DispatchId, BatchDispatched> dispatches = new HashMap<>();

  /** Completions of the dispatches that began on their lanes. */
  private final Map<DispatchId, BatchCompleted> ran = new LinkedHashMap<>();

  private final Map<Place, DispatchId> doneBy = new HashMap<>();

  private final int[] nodesLeft;

  private final boolean[] failed;
  private final @Nullable String[] reason;

  /** A node of a request, both by their places. */
  private record Place(int request, int node) {}

  WorkflowOutcomes(List<WorkflowRequested> requests) {
    this.requests = requests;
    this.nodesLeft = new int[requests.size()];
    this.failed = new boolean[requests.size()];
    this.reason = new String[requests.size()];
    for (int request = 0; request < nodesLeft.length; request++) {
      List<WorkflowRequested.Node> nodes = requests.get(request).nodes();
      nodesLeft[request] = nodes.size();
      for (int node = 0; node < nodes.size(); node++) {
        placeByJob.put(
            requests.get(request).requestId() + "/" + nodes.get(node).nodeId(),
            new Place(request, node));
      }
    }
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    if (fact instanceof BatchCompleted completed && completed.startedAtNs() != null) {
      ran.putIfAbsent(completed.dispatchId(), completed);
    }
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    dispatches.putIfAbsent(dispatch.dispatchId(), dispatch);
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    if (!(outcome instanceof JobEnded end)) {
      return;
    }
    Place place = placeByJob.get(end.jobId());
    if (place == null) {
      throw new IllegalStateException("a job of no request has ended: " + end);
    }
    if (end.status() == JobEnded.Status.DONE) {
      doneBy.put(place, Objects.requireNonNull(end.dispatchId()));
    } else {
      failed[place.request()] |= end.status() == JobEnded.Status.FAILED;
      if (reason[place.request()] == null) {
        reason[place.request()] = end.jobId() + ": " + end.reason();
      }
    }
    nodesLeft[place.request()]--;
  }

  /** Returns whether the dispatch and the completion of every finished node are known. */
  boolean isWhole() {
    return doneBy.values().stream()
        .allMatch(dispatch -> dispatches.containsKey(dispatch) && ran.containsKey(dispatch));
  }

  /** Requests that were not completed, in the order of the list. */
  List<UnfinishedRequest> unfinished() {
    List<UnfinishedRequest> unfinished = new ArrayList<>();
    for (int request = 0; request < nodesLeft.length; request++) {
      String why = reason[request];
      if (why != null || nodesLeft[request] > 0) {
        unfinished.add(
            new UnfinishedRequest(
                requests.get(request),
                why != null,
                failed[request],
                why == null ? "the run was ended before it was sent" : why));
      }
    }
    return unfinished;
  }

  /** Executions of the nodes that were done, in the order in which they took their GPUs. */
  List<NodeExecution> executions() {
    List<BatchCompleted> byTime = new ArrayList<>(ran.values());
    byTime.sort(Comparator.comparingLong(WorkflowOutcomes::heldAtNs));
    Map<Integer, String> resident = new HashMap<>();
    List<NodeExecution> executions = new ArrayList<>();
    for (int batch = 0; batch < byTime.size(); batch++) {
      BatchCompleted completed = byTime.get(batch);
      BatchDispatched dispatch = dispatches.get(completed.dispatchId());
      if (dispatch == null) {
        continue; // the run was over before the dispatch was committed
      }
      boolean replaces = false;
      for (int lane : dispatch.place().lanes()) {
        String held = resident.put(lane, dispatch.work().model().workload());
        replaces |= held != null && !held.equals(dispatch.work().model().workload());
        if (completed.result() != BatchCompleted.Result.DONE) {
          resident.remove(lane); // the lane may hold any model now
        }
      }
      long switchNs = completed.switchNs();
      for (BatchDispatched.DispatchedJob job : dispatch.work().jobs()) {
        Place place = placeByJob.get(job.jobId());
        if (place != null && dispatch.dispatchId().equals(doneBy.get(place))) {
          executions.add(execution(place, dispatch, completed, switchNs, replaces, batch));
          switchNs = 0; // only the batch's first node waits for the switch
        }
      }
    }
    return executions;
  }

  /** Returns the batches that ran and finished no node that counts. */
  Attempts attemptsNotDone() {
    Set<DispatchId> counted = new HashSet<>(doneBy.values());
    int count = 0;
    long heldNs = 0;
    for (BatchCompleted completed : ran.values()) {
      if (!counted.contains(completed.dispatchId())) {
        count++;
        BatchDispatched dispatch = dispatches.get(completed.dispatchId());
        int lanes = dispatch == null ? 1 : dispatch.place().lanes().size();
        heldNs += lanes * (completed.switchNs() + completed.serviceNs());
      }
    }
    return new Attempts(count, heldNs);
  }

  private static long heldAtNs(BatchCompleted completed) {
    return startedAtNs(completed) - completed.switchNs();
  }

  private static long startedAtNs(BatchCompleted completed) {
    return Objects.requireNonNull(completed.startedAtNs());
  }

  private NodeExecution execution(
      Place place,
      BatchDispatched dispatch,
      BatchCompleted completed,
      long switchNs,
      boolean replaces,
      long batch) {
    return new NodeExecution(
        place.request(),
        place.node(),
        dispatch.place().lanes().get(0),
        dispatch.place().lanes().size(),
        readyAtNs(place),
        switchNs,
        replaces,
        startedAtNs(completed),
        completed.serviceNs(),
        batch);
  }

  /** Returns the time at which the node's request had come and the last of its inputs had ended. */
  private long readyAtNs(Place place) {
    WorkflowRequested request = requests.get(place.request());
    long readyAtNs = request.intendedAtNs();
    for (int input : request.nodes().get(place.node()).inputs()) {
      BatchCompleted before = ran.get(doneBy.get(new Place(place.request(), input)));
      if (before == null) {
        throw new IllegalStateException(
            "a node ran before its input: " + request.requestId() + " " + place);
      }
      readyAtNs = Math.max(readyAtNs, startedAtNs(before) + before.serviceNs());
    }
    return readyAtNs;
  }
}
