package dev.sluice.scheduling;

/** A predicted mean service time, at least 1 ns, and where it comes from. */
public record Prediction(long meanNs, Source source) {
  /** Where a prediction comes from, the best first. */
  public enum Source {
    RUNNING_MEAN,
    WARM_UP,
    NEAREST_SAMPLES,
    FLOPS
  }
}
