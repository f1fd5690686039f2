package dev.sluice.contract.experiment;

import dev.sluice.contract.file.Range;

/** Ranges that several parts of an experiment share. */
public final class Ranges {
  /** A longest time of about twelve days. */
  static final double SECONDS_MAX = 1_000_000;

  static final double MS_MAX = 1e9;

  /** Most jobs of an experiment: the rows of this many take 4 GB of memory. */
  public static final int JOBS_MAX = 10_000_000;

  static final int SAMPLES_MAX = 4096;

  static final Range SECONDS = Range.within(0, SECONDS_MAX);

  private Ranges() {}
}
