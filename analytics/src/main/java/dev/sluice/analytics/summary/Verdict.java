package dev.sluice.analytics.summary;

/** Verdict on a finished run, which its exit status carries. */
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
