package dev.sluice.scheduling.workflow;

import java.util.Arrays;

/** Durations and their figures; every figure of no durations is 0. Immutable. */
public final class Durations {
  private final long[] sortedNs;

  /** Takes the durations in any order. */
  public Durations(long[] ns) {
    sortedNs = ns.clone();
    Arrays.sort(sortedNs);
  }

  /** Returns the mean. */
  public double meanNs() {
    return Arrays.stream(sortedNs).asDoubleStream().sum() / Math.max(1, sortedNs.length);
  }

  /**
   * Returns the percentile between the two nearest ranks in proportion, which is numpy's default.
   */
  public double percentileNs(double percent) {
    if (sortedNs.length == 0) {
      return 0;
    }
    double place = (sortedNs.length - 1) * percent / 100;
    int below = (int) place;
    int above = Math.min(below + 1, sortedNs.length - 1);
    return sortedNs[below] + (place - below) * (sortedNs[above] - sortedNs[below]);
  }
}
