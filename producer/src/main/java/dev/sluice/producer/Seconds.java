package dev.sluice.producer;

/** Seconds of an experiment file as nanoseconds. */
final class Seconds {
  private Seconds() {}

  static long toNs(double seconds) {
    return Math.round(seconds * 1e9);
  }
}
