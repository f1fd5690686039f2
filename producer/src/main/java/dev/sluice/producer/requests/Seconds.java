package dev.sluice.producer.requests;

/** Seconds of an experiment file as nanoseconds. */
public final class Seconds {
  private Seconds() {}

  public static long toNs(double seconds) {
    return Math.round(seconds * 1e9);
  }
}
