package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.BatchView;
import dev.sluice.analytics.row.JobView;
import java.util.List;

/** A family of figures: one class, and one line in {@link Figures}. */
interface Figure {
  /**
   * Names of its numbers, which a threshold may bound, in a fixed order; a figure per class lists
   * its names without their class.
   */
  List<String> names();

  /** Begins the family's figures of a run. Must not depend on another family's. */
  Fold begin(RunRows run);

  /**
   * A family's figures of one run. It declares by its interfaces which rows it takes: it is fed
   * each of them in turn, in the one walk over all of them, and then asked for its figures. The
   * views that it is fed show other rows after the call. Walks over rows of unlike kinds may go on
   * beside each other.
   */
  interface Fold {
    /** Adds the figures of what was taken. */
    void addTo(Summary summary);
  }

  /** Takes each job that was requested, by intended arrival. */
  interface OfJobs extends Fold {
    void take(JobView job);
  }

  /** Takes each attempt to run a batch, by decision. */
  interface OfBatches extends Fold {
    void take(BatchView batch);
  }

  /** Takes each batch that ended a measured job as done, once, by intended arrival. */
  interface OfDone extends Fold {
    void takeDone(BatchView batch);
  }

  /**
   * Takes the time between two batches that ran on one lane with none between them, by start of the
   * next one.
   */
  interface OfIntervals extends Fold {
    void take(BatchView before, BatchView next);
  }

  /** True if a threshold's name is of this family. */
  default boolean owns(String name) {
    return names().contains(name);
  }

  /** Name of the figure that counts the values behind a p99 of this family. */
  default String countBehind(String p99Name) {
    return "all_count";
  }
}
