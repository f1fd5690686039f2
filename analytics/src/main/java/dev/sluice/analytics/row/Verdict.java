package dev.sluice.analytics.row;

import java.util.Locale;

/** Verdict on a finished run, which its exit status carries; a later one is worse. */
public enum Verdict {
  /** The run is whole, may be compared with others, and met every threshold. */
  MET,
  MISSED,
  /**
   * The run is whole and tells nothing of its policy: it is not comparable with others, its queue
   * rose although a bound was asked, or a threshold is undecided and none was missed.
   */
  INCONCLUSIVE,
  /**
   * The run failed: it has no end, lost a job, measured none, or its generator was late beyond any
   * use.
   */
  FAILED;

  Verdict worst(Verdict that) {
    return compareTo(that) >= 0 ? this : that;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
