package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;

/** A family of figures: one class, and one line in {@link Figures}. */
interface Figure {
  /**
   * Names of its numbers, which a threshold may bound, in a fixed order; a figure per class lists
   * its names without their class.
   */
  List<String> names();

  /** Computes the family and adds it. Must not depend on another family's figures. */
  void addTo(Summary summary, RunRows run);

  /** True if a threshold's name is of this family. */
  default boolean owns(String name) {
    return names().contains(name);
  }

  /** Name of the figure that counts the values behind a p99 of this family. */
  default String countBehind(String p99Name) {
    return "all_count";
  }
}
