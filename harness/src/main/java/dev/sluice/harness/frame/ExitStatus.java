package dev.sluice.harness.frame;

/** Exit statuses of the commands. docs/results.md explains each. */
public final class ExitStatus {
  /** The command did what it was asked, and every threshold was met. */
  public static final int DONE = 0;

  /** A bug, or a run that failed. */
  public static final int BUG = 1;

  /** A user's mistake, found before anything ran. */
  public static final int MISTAKE = 2;

  /** The run is whole, and missed a threshold; the bench, and missed a goal. */
  public static final int MISSED = 3;

  /** The run is whole, and tells nothing of its policy. */
  public static final int INCONCLUSIVE = 4;

  /**
   * The command did what it was asked, and found faults: a schedule that is not legal, a decision
   * that comes out otherwise, a plan that breaks a rule, a task, cell or workflow that failed.
   */
  public static final int FAULTS = 5;

  /** A person stopped the command by Ctrl-C. */
  public static final int STOPPED = 130;

  private ExitStatus() {}

  /** The worse of two statuses of runs: a failed run is worse than any whole one. */
  public static int worst(int one, int other) {
    return severity(one) >= severity(other) ? one : other;
  }

  /** True if a run that ends so is whole, and left a finished folder. */
  public static boolean isWhole(int status) {
    return status == DONE || status == MISSED || status == INCONCLUSIVE;
  }

  private static int severity(int status) {
    return switch (status) {
      case DONE -> 0;
      case MISSED -> 1;
      case INCONCLUSIVE -> 2;
      case FAULTS -> 3;
      default -> 4;
    };
  }
}
