package dev.sluice.layers.parameters;

import dev.sluice.executor.network.TensorShape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;

/** A model's parameters, one layer at a time. Layers count from 0. Used by one thread at a time. */
public interface ParameterSource extends AutoCloseable {
  /**
   * Reads a layer's tensors, one behind the other in the order of their use, into the rest of a
   * buffer. What it has room for beyond them stays as it is.
   *
   * @throws IOException if they cannot be read; its message names no layer
   */
  void read(int layer, ByteBuffer into) throws IOException;

  @Override
  void close() throws IOException;

  /**
   * Refuses layers with a value that is infinite or not a number. All tensors are float32.
   *
   * @param source source that is read, and closed with this
   * @param layers tensors of each layer, in the order in which the source gives them
   */
  record FiniteParameters(ParameterSource source, List<List<TensorShape>> layers)
      implements ParameterSource {
    @Override
    public void read(int layer, ByteBuffer into) throws IOException {
      ByteBuffer values = into.duplicate().order(ByteOrder.LITTLE_ENDIAN);
      source.read(layer, into);
      FloatBuffer floats = values.asFloatBuffer();
      for (TensorShape tensor : layers.get(layer)) {
        long elements = tensor.bytes() / Float.BYTES;
        for (long index = 0; index < elements; index++) {
          float value = floats.get();
          if (!Float.isFinite(value)) {
            throw new IOException(
                "tensor (%s) holds %s at index %d".formatted(tensor.name(), value, index));
          }
        }
      }
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }
}
