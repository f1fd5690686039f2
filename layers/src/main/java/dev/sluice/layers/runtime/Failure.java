package dev.sluice.layers.runtime;

import dev.sluice.harness.frame.ExitStatus;

/** A run that failed although nobody made a mistake. */
final class Failure {
  private Failure() {}

  /** Tells it on standard error, and returns the exit status. */
  static int tell(Exception failure, String maybe) {
    System.err.println("sluice: error: " + failure.getMessage() + ".");
    System.err.println("  Maybe " + maybe + ".");
    return ExitStatus.BUG;
  }
}
