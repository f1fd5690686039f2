package dev.sluice.executor.emulation;

import dev.sluice.contract.experiment.Experiment.Drift;
import java.util.List;

/**
 * How emulated service times change during a run: a factor by time, 1 at first, and linear within
 * each change. Pure: time is what it is told.
 */
record EmulatedDrift(List<Drift> changes) {
  static final EmulatedDrift NONE = new EmulatedDrift(List.of());

  private static final double NS_PER_SECOND = 1e9;

  EmulatedDrift {
    changes = List.copyOf(changes);
  }

  /**
   * What the service time of a batch is multiplied by that starts at that time.
   *
   * @param atNs since time zero of the run
   */
  double factor(long atNs) {
    double atSeconds = atNs / NS_PER_SECOND;
    double factor = 1;
    for (Drift change : changes) {
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
