package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.value.ModelKey;
import org.jspecify.annotations.Nullable;

/**
 * A model's stay in the memory of a lane, or the attempt to load it there.
 *
 * @param loaded what its executor said of the load
 * @param bytes memory that the model takes, as the executor said; 0: it did not
 * @param decidedAtNs log time of the decision to load it; {@link Jobs#NONE}: not in the log
 * @param evictedAtNs when the lane held it no more; {@link Jobs#NONE}: the log does not say
 */
public record ModelStay(ModelLoaded loaded, long bytes, long decidedAtNs, long evictedAtNs) {
  public String laneId() {
    return loaded.executorId() + "/" + loaded.lane();
  }

  public ModelKey model() {
    return loaded.model();
  }

  /** Why the lane never held it; null: it did. */
  public @Nullable String cause() {
    return loaded.cause();
  }
}
