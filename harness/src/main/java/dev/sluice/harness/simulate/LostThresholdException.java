package dev.sluice.harness.simulate;

/** A threshold has ended a simulation, since it cannot be met any more. */
public final class LostThresholdException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LostThresholdException(String why) {
    super(why);
  }
}
