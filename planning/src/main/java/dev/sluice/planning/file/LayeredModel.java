package dev.sluice.planning.file;

import java.util.List;

/**
 * A model as models.yml describes it.
 *
 * @param memoryMb memory of each layer, at least 0, in 1024² bytes
 * @param parametersIn values that one sample brings into the first layer, at least 0
 * @param parametersOut values that one sample takes out of each layer, at least 0; as many as there
 *     are layers
 */
public record LayeredModel(
    String name, List<Double> memoryMb, long parametersIn, List<Long> parametersOut) {
  public LayeredModel {
    memoryMb = List.copyOf(memoryMb);
    parametersOut = List.copyOf(parametersOut);
  }

  /** Number of layers, at least 1. */
  public int layers() {
    return memoryMb.size();
  }
}
