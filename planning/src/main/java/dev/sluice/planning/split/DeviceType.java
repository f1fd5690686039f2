package dev.sluice.planning.split;

import java.util.List;

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

  /** Returns whether stages cost the same on the other type: equal times, bandwidth and memory. */
  boolean isLike(DeviceType other) {
    return bitsPerSecond == other.bitsPerSecond
        && memoryBytes == other.memoryBytes
        && layerSeconds.equals(other.layerSeconds);
  }
}
