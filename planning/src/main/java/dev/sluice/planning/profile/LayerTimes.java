package dev.sluice.planning.profile;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of a model's layers.
 *
 * @param elementsBehind values of a sample at each cut: at place 0 the model's input, at place r
 *     all tensors that cross the cut behind layer r
 * @param layerBytes memory of each layer; empty: not measured
 * @param batches times by batch size, in the order of the command
 */
record LayerTimes(
    String model, List<Integer> elementsBehind, List<Long> layerBytes, List<OfBatch> batches) {
  LayerTimes {
    elementsBehind = List.copyOf(elementsBehind);
    layerBytes = List.copyOf(layerBytes);
    batches = List.copyOf(batches);
  }

  /**
   * Times of a batch size.
   *
   * @param layerSeconds median time of each layer
   * @param spread sum of the layers' interquartile ranges / sum of their medians; null: each layer
   *     was timed too seldom to tell
   * @param wholeSeconds median time of the whole model; null: it was not measured
   */
  record OfBatch(
      int samples,
      List<Double> layerSeconds,
      @Nullable Double spread,
      @Nullable Double wholeSeconds) {
    OfBatch {
      layerSeconds = List.copyOf(layerSeconds);
    }
  }

  /** Number of layers. */
  int layers() {
    return elementsBehind.size() - 1;
  }
}
