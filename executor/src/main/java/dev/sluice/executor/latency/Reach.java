package dev.sluice.executor.latency;

import java.util.Locale;

/** How far a key lies from what was measured. */
public enum Reach {
  /** It was measured itself. */
  SEEN,
  /** Fewer samples and more samples were measured, all else equal, but not these. */
  BETWEEN,
  /** Only fewer or only more samples were measured, all else equal. */
  BEYOND;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
