package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.QueueEvent.Outcome;

/**
 * What an ended attempt was. Pure.
 *
 * @param why reason or warning, in words; empty: none
 */
public record Verdict(Outcome outcome, String why) {
  /** Exit status of an attempt that left none. */
  public static final int UNKNOWN = -1;

  private static final int SIGNAL_BASE = 128;

  /**
   * Judges an attempt whose command has ended.
   *
   * @param status exit status, 128 and the signal's number after a signal; {@link #UNKNOWN}
   * @param marker whether the completion marker is there
   */
  public static Verdict of(int status, boolean marker, boolean hasMarkers, QueueSettings settings) {
    if (marker) {
      return new Verdict(Outcome.DONE, status == 0 ? "" : "marker is there, " + words(status));
    }
    if (status != 0) {
      return new Verdict(Outcome.FAILED, words(status));
    }
    if (hasMarkers && settings.requireMarker()) {
      return new Verdict(Outcome.FAILED, "exit status 0, but no marker");
    }
    return new Verdict(Outcome.DONE, hasMarkers ? "no marker" : "");
  }

  private static String words(int status) {
    if (status == UNKNOWN) {
      return "gone without a trace";
    }
    return status > SIGNAL_BASE
        ? "ended by signal " + (status - SIGNAL_BASE)
        : "exit status " + status;
  }
}
