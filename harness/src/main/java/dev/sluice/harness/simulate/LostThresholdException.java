package dev.sluice.harness.simulate;

/** A threshold has ended a simulation, since it cannot be met any more. */
public final class LostThresholdException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * @param why which threshold, and why, in words
   */
  LostThresholdException(String why) {
    super(why);
  }
}
