package dev.sluice.executor.emulation;

import dev.sluice.contract.experiment.LoadShape.Step;
import java.util.List;

/**
 * The change of emulated service times during a run: a factor by time, 1 at first, and linear
 * within each change. Pure: callers pass the time.
 */
record EmulatedDrift(List<Step> changes) {
  static final EmulatedDrift NONE = new EmulatedDrift(List.of());

  private static final double NS_PER_SECOND = 1e9;

  EmulatedDrift {
    changes = List.copyOf(changes);
  }

  /** Returns the least factor at any time. */
  double least() {
    return Math.min(1, changes.stream().mapToDouble(Step::factor).min().orElse(1));
  }

  /**
   * Returns the factor for the service time of a batch that starts at a given time.
   *
   * @param atNs start of the batch, since time zero of the run
   */
  double factor(long atNs) {
    double atSeconds = atNs / NS_PER_SECOND;
    double factor = 1;
    for (Step change : changes) {
      if (atSeconds < change.atSeconds()) {
        break;
      }
      double done =
          change.overSeconds() == 0
              ? 1
              : Math.min(1, (atSeconds - change.atSeconds()) / change.overSeconds());
      factor += done * (change.factor() - factor);
    }
    return factor;
  }
}
