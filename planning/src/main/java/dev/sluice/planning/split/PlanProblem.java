package dev.sluice.planning.split;

import java.util.List;

/**
 * A model of layers, and the devices that it can be split over.
 *
 * @param layerBytes memory of each layer, at least 0
 * @param cutBytes bytes that cross each cut: at place 0 the model's input, at place r what layer r
 *     puts out; one more than layers, each at least 0
 * @param buffersIn buffers for what comes in, of each stage but the one that begins the model
 * @param buffersOut buffers for what goes out, of each stage
 * @param types in the order that decides between equal plans
 */
public record PlanProblem(
    List<Double> layerBytes,
    List<Long> cutBytes,
    int buffersIn,
    int buffersOut,
    List<DeviceType> types) {
  /**
   * @throws IllegalArgumentException if there is no layer, a list has another length than the model
   *     has layers, or a number is negative, infinite or NaN
   */
  public PlanProblem {
    layerBytes = List.copyOf(layerBytes);
    cutBytes = List.copyOf(cutBytes);
    types = List.copyOf(types);
    layerBytes.forEach(bytes -> checkNumber("memory of a layer", bytes));
    cutBytes.forEach(bytes -> checkNumber("bytes at a cut", bytes));
    checkNumber("buffers in", buffersIn);
    checkNumber("buffers out", buffersOut);
    int layers = layerBytes.size();
    if (layers == 0 || cutBytes.size() != layers + 1) {
      throw new IllegalArgumentException(
          "layers (%d) with bytes at (%d) cuts".formatted(layers, cutBytes.size()));
    }
    for (DeviceType type : types) {
      if (type.layerSeconds().size() != layers) {
        throw new IllegalArgumentException(
            "type (%s) with (%d) times of (%d) layers"
                .formatted(type.name(), type.layerSeconds().size(), layers));
      }
    }
  }

  /** Number of layers, at least 1. */
  public int layers() {
    return layerBytes.size();
  }

  /** Number of hosts of all types. */
  public int hosts() {
    return types.stream().mapToInt(type -> type.hosts().size()).sum();
  }

  /** Returns the name of the host that the stage runs on. */
  public String hostOf(Stage stage) {
    return types.get(stage.type()).hosts().get(stage.host());
  }

  static void checkNumber(String what, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("%s (%s)".formatted(what, value));
    }
  }
}
