package dev.sluice.layers.engine;

/** A layer's parameters could not be read; the message names the layer. */
public final class LayerReadException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LayerReadException(String layer, Throwable cause) {
    super("layer " + layer + " could not be read: " + cause.getMessage(), cause);
  }
}
