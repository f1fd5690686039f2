package dev.sluice.layers.schedule;

import java.util.List;

/**
 * A schedule: an ordered list of operations, without times.
 *
 * @param first operations that run once, before the first step
 * @param step operations of each step
 */
public record LayerSchedule(List<Operation> first, List<Operation> step) {
  public LayerSchedule {
    first = List.copyOf(first);
    step = List.copyOf(step);
  }
}
