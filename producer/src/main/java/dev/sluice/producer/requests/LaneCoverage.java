package dev.sluice.producer.requests;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.value.ModelKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The kinds of jobs in a request list that the present executors cannot run yet, shard by shard. An
 * executor's last report counts; an executor that leaves covers nothing. Not thread-safe.
 */
public final class LaneCoverage {
  private final Set<ModelKey> needed = new LinkedHashSet<>(); // in the order of the list
  private final List<Map<String, List<ModelKey>>> modelsByExecutorByShard = new ArrayList<>();

  public LaneCoverage(Collection<ModelKey> models, int shards) {
    needed.addAll(models);
    for (int shard = 0; shard < shards; shard++) {
      modelsByExecutorByShard.add(new TreeMap<>());
    }
  }

  public void reported(int shard, ExecutorReported report) {
    boolean present = !report.leaving() && !report.lanes().isEmpty();
    modelsByExecutorByShard
        .get(shard)
        .put(
            report.executorId(),
            present ? report.capabilities().stream().map(Capability::model).toList() : List.of());
  }

  /** Returns a line per shard and model that no lane can run, for a person to read. */
  public List<String> missing() {
    var missing = new ArrayList<String>();
    for (int shard = 0; shard < modelsByExecutorByShard.size(); shard++) {
      Map<String, List<ModelKey>> modelsByExecutor = modelsByExecutorByShard.get(shard);
      if (modelsByExecutor.isEmpty()) {
        missing.add("shard " + shard + " has no executor");
        continue;
      }
      for (ModelKey model : needed) {
        if (modelsByExecutor.values().stream().noneMatch(models -> models.contains(model))) {
          missing.add(
              "shard %d has no lane for %s (executors: %s)"
                  .formatted(shard, model, String.join(", ", modelsByExecutor.keySet())));
        }
      }
    }
    return missing;
  }
}
