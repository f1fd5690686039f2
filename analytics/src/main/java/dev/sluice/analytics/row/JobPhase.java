package dev.sluice.analytics.row;

import java.util.Locale;

/** Part of the run in which an intended arrival lies; only measured jobs count in figures. */
public enum JobPhase {
  WARMUP,
  MEASURED,
  TAIL;

  private final String text = name().toLowerCase(Locale.ROOT);

  /** The phase as tables hold it. */
  public String text() {
    return text;
  }
}
