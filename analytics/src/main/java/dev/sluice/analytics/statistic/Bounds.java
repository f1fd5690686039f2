package dev.sluice.analytics.statistic;

/** What values a figure can have. */
public enum Bounds {
  /** Any number. */
  NONE,
  /** From 0. */
  FROM_ZERO,
  /** From 0 to 1. */
  SHARE,
  /** From −1 to 1. */
  CORRELATION
}
