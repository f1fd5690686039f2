package dev.sluice.analytics.abort;

import dev.sluice.contract.experiment.Experiment.Load;

/** The measured window, from its first nanosecond to the first one behind it. */
record Window(long fromNs, long toNs) {
  static Window of(Load load) {
    return new Window(
        Math.round(load.warmupSeconds() * 1e9), Math.round(load.durationSeconds() * 1e9));
  }

  double seconds() {
    return (toNs - fromNs) / 1e9;
  }

  boolean holds(long atNs) {
    return fromNs <= atNs && atNs < toNs;
  }
}
