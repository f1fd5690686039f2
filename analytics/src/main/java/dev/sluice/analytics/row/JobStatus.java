package dev.sluice.analytics.row;

import java.util.Locale;

/** End of a job; OPEN: the log holds no whole account of its end. */
public enum JobStatus {
  DONE(0),
  DROPPED(1),
  FAILED(2),
  OPEN(3);

  private final int number;
  private final String text = name().toLowerCase(Locale.ROOT);

  JobStatus(int number) {
    this.number = number;
  }

  /** Place among all, from 0. */
  public int number() {
    return number;
  }

  /** The status as tables hold it. */
  public String text() {
    return text;
  }
}
