package dev.sluice.analytics.row;

import java.util.Locale;

/** End of a job; OPEN: the log holds no whole account of its end. */
public enum JobStatus {
  DONE,
  DROPPED,
  FAILED,
  OPEN;

  /** The status as tables hold it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
