package dev.sluice.harness.frame;

/** Exit statuses of the commands. */
public final class ExitStatus {
  /** The command did what it was asked, and every threshold was met. */
  public static final int DONE = 0;

  /** A bug, or a run that failed. */
  public static final int BUG = 1;

  /** A user's mistake, found before anything ran. */
  public static final int MISTAKE = 2;

  /** The command did what it was asked, and found faults or a missed threshold. */
  public static final int FAULTS = 3;

  /** A person stopped the command by Ctrl-C. */
  public static final int STOPPED = 130;

  private ExitStatus() {}
}
