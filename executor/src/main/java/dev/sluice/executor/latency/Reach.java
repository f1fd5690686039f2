package dev.sluice.executor.latency;

import java.util.Locale;

/** The distance of a key from measured keys. */
public enum Reach {
  /** The key itself was measured. */
  SEEN,
  /** Both fewer and more samples were measured, all else equal, but not the key's number. */
  BETWEEN,
  /** Only fewer or only more samples were measured, all else equal. */
  BEYOND;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
