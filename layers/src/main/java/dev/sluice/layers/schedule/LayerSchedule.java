package dev.sluice.layers.schedule;

import java.util.List;
import java.util.Locale;

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

  /** What an operation of a schedule does with its layer. */
  public enum Kind {
    /** Waits for the layer, and reads it if no prefetch has asked for it. */
    FETCH,
    /** Computes the layer: forward, or backward if it is the layer's second compute of a step. */
    COMPUTE,
    RELEASE,
    PREFETCH;

    /** The name that stands in files: {@code fetch}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One operation of a schedule.
   *
   * @param layer index of the layer, from 0
   * @param line line of the file that it stands in; 0: the list was made
   */
  public record Operation(Kind kind, int layer, int line) {
    /** An operation of a list that was made. */
    public static Operation made(Kind kind, int layer) {
      return new Operation(kind, layer, 0);
    }
  }
}
