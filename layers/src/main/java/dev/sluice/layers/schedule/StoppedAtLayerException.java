package dev.sluice.layers.schedule;

/** Ends a run after the layer that was computed, because a person asked. */
public final class StoppedAtLayerException extends RuntimeException {
  private static final long serialVersionUID = 1;
}
