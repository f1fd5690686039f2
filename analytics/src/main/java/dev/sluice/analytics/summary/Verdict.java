package dev.sluice.analytics.summary;

/** What a finished run's exit status says. */
public enum Verdict {
  /** The run is whole and every threshold was met. */
  MET,
  /** A threshold was missed or is undecided, or the generator was late. */
  MISSED,
  /** The run failed: it has no end, lost a job, or its generator was late beyond any use. */
  FAILED;

  Verdict worst(Verdict that) {
    return compareTo(that) >= 0 ? this : that;
  }
}
