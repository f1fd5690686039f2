package dev.sluice.contract.workflow;

import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Contents of the two files.
 *
 * @param models models by id, in the order of the file
 * @param workflows workflows without a fault by id, in the order of the file
 * @param microbatch rules for workflows whose nodes share batches
 * @param requests requests that can run, in the order of the file
 * @param skipped requests that cannot run, in the order of the file
 * @param requestsFile the file of the requests
 */
public record WorkflowFiles(
    Map<String, Model> models,
    Map<String, Workflow> workflows,
    Microbatch microbatch,
    List<WorkflowRequest> requests,
    List<Skipped> skipped,
    Path requestsFile) {
  static final String OTHER_PATH =
      "the path is relative to another folder, or --system and --requests name it";

  public WorkflowFiles {
    models = Collections.unmodifiableMap(new LinkedHashMap<>(models));
    workflows = Collections.unmodifiableMap(new LinkedHashMap<>(workflows));
    requests = List.copyOf(requests);
    skipped = List.copyOf(skipped);
  }

  /**
   * Rules by which nodes that run the same model share a batch.
   *
   * @param windowMs time for which the first node waits for others, in milliseconds
   * @param maxBatch most nodes in one batch
   */
  public record Microbatch(double windowMs, int maxBatch) {}

  /**
   * A request that is left out.
   *
   * @param reason {@code file:line: what is wrong}
   */
  public record Skipped(String requestId, String workflowId, String reason) {}

  /**
   * Reads and checks both files; the ending {@code .json} means JSON, any other YAML.
   *
   * @param gpus number of GPUs; {@link Integer#MAX_VALUE}: as many as any model needs
   * @param skipInfeasible whether requests that are wrong or cannot run are left out, with their
   *     reason; otherwise they are mistakes
   * @throws UserMistakeException with every mistake found
   */
  public static WorkflowFiles read(Path system, Path requests, int gpus, boolean skipInfeasible)
      throws UserMistakeException {
    SystemReader inSystem = SystemReader.read(system);
    var inRequests = new RequestReader(inSystem, requests, gpus);
    inRequests.read();
    if (!skipInfeasible) {
      Problems ofSystem = inSystem.problems();
      ofSystem.addAll(inRequests.infeasible);
      Problems.throwIfAny(List.of(ofSystem, inRequests.problems));
    }
    Map<String, Workflow> whole = new LinkedHashMap<>(inSystem.workflows);
    whole.keySet().removeAll(inSystem.problemsByWorkflow.keySet());
    return new WorkflowFiles(
        inSystem.models,
        whole,
        inSystem.microbatch,
        inRequests.requests,
        inRequests.skipped,
        requests);
  }
}
