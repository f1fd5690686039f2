package dev.sluice.producer.requests;

/** Conversion of seconds in an experiment file to nanoseconds. */
public final class Seconds {
  private Seconds() {}

  public static long toNs(double seconds) {
    return Math.round(seconds * 1e9);
  }
}
