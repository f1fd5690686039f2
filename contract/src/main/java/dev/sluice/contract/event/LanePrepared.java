package dev.sluice.contract.event;

import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import java.util.List;

/**
 * The scheduler changes what a lane holds in its memory: a dispatch without jobs. Topic {@code
 * dispatches}. The lane first releases models, then loads others, one after the other.
 *
 * @param lane index of the lane on its executor
 * @param releases models that the lane holds and no batch of it needs
 * @param decidedAtNs log time of the decision
 */
public record LanePrepared(
    DispatchId dispatchId,
    String executorId,
    long incarnation,
    int lane,
    List<ModelKey> releases,
    List<ModelKey> loads,
    long decidedAtNs)
    implements Dispatch {
  public LanePrepared {
    releases = List.copyOf(releases);
    loads = List.copyOf(loads);
    if (releases.isEmpty() && loads.isEmpty()) {
      throw new IllegalArgumentException("a preparation releases or loads a model");
    }
  }
}
