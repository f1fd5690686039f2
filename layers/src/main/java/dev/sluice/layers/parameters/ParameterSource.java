package dev.sluice.layers.parameters;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A model's parameters, one layer at a time. Layers count from 0. Used by one thread at a time. */
public interface ParameterSource extends AutoCloseable {
  /** Returns the bytes of a layer's tensors, one behind the other, in the order of their use. */
  long bytes(int layer);

  /**
   * Reads a layer's tensors into the rest of a buffer, which has room for exactly them.
   *
   * @throws IOException if they cannot be read; its message names no layer
   */
  void read(int layer, ByteBuffer into) throws IOException;

  @Override
  void close() throws IOException;
}
