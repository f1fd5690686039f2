package dev.sluice.scheduling.simulation;

import org.jspecify.annotations.Nullable;

/**
 * The GPUs, and the cost of changing the models that they hold.
 *
 * @param count at least 1
 * @param bandwidthGbPerSecond above 0, of moving models to and from a GPU
 * @param overheadNs of each change from one model to another
 * @param gangSwitch what a job of several GPUs waits for
 */
public record Gpus(int count, double bandwidthGbPerSecond, long overheadNs, GangSwitch gangSwitch) {
  private static final double NS_PER_SECOND = 1e9;

  /** What a job of several GPUs waits for before it starts. */
  public enum GangSwitch {
    /** The job waits for the GPU that takes the longest to load its model. */
    LONGEST,
    /** The job waits for its first GPU alone, as the baseline's public implementation does. */
    FIRST
  }

  public Gpus {
    if (count < 1 || !(bandwidthGbPerSecond > 0) || overheadNs < 0) {
      throw new IllegalArgumentException(
          "count (%d), bandwidthGbPerSecond (%s), overheadNs (%d)"
              .formatted(count, bandwidthGbPerSecond, overheadNs));
    }
  }

  /**
   * Returns how long a GPU takes to hold a model: nothing if it does, the model's load time if it
   * is empty, else the time to move both models, and the overhead.
   *
   * @param resident the model that the GPU holds; null: none
   */
  public long switchNs(@Nullable GpuModel resident, GpuModel model) {
    if (resident == null) {
      return model.loadNs();
    }
    if (resident.id().equals(model.id())) {
      return 0;
    }
    double gb = resident.memoryGb() + model.memoryGb();
    return Math.round(gb / bandwidthGbPerSecond * NS_PER_SECOND) + overheadNs;
  }

  /**
   * A model that nodes run.
   *
   * @param id an id that no other model has
   * @param gpus number of GPUs that the model takes at once, at least 1
   * @param loadNs how long it takes to load onto an empty GPU
   * @param typicalNs typical duration of a run; 0: not known
   */
  public record GpuModel(String id, double memoryGb, int gpus, long loadNs, long typicalNs) {}
}
