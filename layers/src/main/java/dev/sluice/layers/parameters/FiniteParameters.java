package dev.sluice.layers.parameters;

import dev.sluice.executor.network.TensorShape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;

/** Refuses layers with a value that is infinite or not a number. All tensors are float32. */
public final class FiniteParameters implements ParameterSource {
  private final ParameterSource source;
  private final List<List<TensorShape>> layers;

  /**
   * @param source source that is read, and closed with this
   * @param layers tensors of each layer, in the order in which the source gives them
   */
  public FiniteParameters(ParameterSource source, List<List<TensorShape>> layers) {
    this.source = source;
    this.layers = List.copyOf(layers);
  }

  @Override
  public long bytes(int layer) {
    return source.bytes(layer);
  }

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
