package dev.sluice.layers.schedule;

import java.util.Locale;

/** What an operation of a schedule does with its layer. */
public enum Kind {
  /** Waits for the layer, and reads it if no prefetch has asked for it. */
  FETCH,
  /** Computes the layer: forward, or backward if it is the layer's second compute of a step. */
  COMPUTE,
  /** Frees the layer. */
  RELEASE,
  /** Asks for the layer and does not wait. */
  PREFETCH;

  /** The name that stands in files: {@code fetch}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
