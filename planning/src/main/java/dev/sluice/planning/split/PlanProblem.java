package dev.sluice.planning.split;

import dev.sluice.planning.split.Plan.Stage;
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

  public int layers() {
    return layerBytes.size();
  }

  public int hosts() {
    return types.stream().mapToInt(type -> type.hosts().size()).sum();
  }

  /** Returns the problem with other types. */
  public PlanProblem with(List<DeviceType> others) {
    return new PlanProblem(layerBytes, cutBytes, buffersIn, buffersOut, others);
  }

  /** Returns the name of the host that the stage runs on. */
  public String hostOf(Stage stage) {
    return types.get(stage.type()).hosts().get(stage.host());
  }

  /** Returns a stage in words: its host with its first and last layer. */
  public String nameOf(Stage stage) {
    return "%s [%d, %d]".formatted(hostOf(stage), stage.firstLayer(), stage.lastLayer());
  }

  static void checkNumber(String what, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("%s (%s)".formatted(what, value));
    }
  }

  /**
   * A type of devices, and the hosts that are of it.
   *
   * @param hosts names of the hosts, none twice; may be empty
   * @param bitsPerSecond bandwidth of each host, at least 0; a bandwidth of 0 carries nothing, so
   *     that such a host can hold only the whole model
   * @param memoryBytes memory of each host, at least 0; a stage needs less than that
   * @param layerSeconds compute time of each layer, at least 0
   */
  public record DeviceType(
      String name,
      List<String> hosts,
      double bitsPerSecond,
      double memoryBytes,
      List<Double> layerSeconds) {
    /**
     * @throws IllegalArgumentException if a number is negative, infinite or NaN
     */
    public DeviceType {
      hosts = List.copyOf(hosts);
      layerSeconds = List.copyOf(layerSeconds);
      PlanProblem.checkNumber(name + "'s bandwidth", bitsPerSecond);
      PlanProblem.checkNumber(name + "'s memory", memoryBytes);
      layerSeconds.forEach(seconds -> PlanProblem.checkNumber(name + "'s time", seconds));
    }

    /**
     * Returns whether stages cost the same on the other type: equal times, bandwidth and memory.
     */
    boolean isLike(DeviceType other) {
      return bitsPerSecond == other.bitsPerSecond
          && memoryBytes == other.memoryBytes
          && layerSeconds.equals(other.layerSeconds);
    }
  }
}
