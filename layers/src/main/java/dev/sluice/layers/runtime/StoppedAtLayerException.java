package dev.sluice.layers.runtime;

/** Thrown by a hook to end a run after the layer that was computed, because a person asked. */
final class StoppedAtLayerException extends RuntimeException {
  private static final long serialVersionUID = 1;
}
