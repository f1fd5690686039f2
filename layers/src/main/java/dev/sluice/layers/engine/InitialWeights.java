package dev.sluice.layers.engine;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.executor.network.NetworkPart;
import dev.sluice.executor.network.SafetensorsHeader.Entry;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.layers.parameters.SafetensorsFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** A network's weights before the first step, from the model cache. */
final class InitialWeights implements AutoCloseable {
  private final SafetensorsFile file;

  /** Opens the network's file, which is written if it is missing. */
  InitialWeights(String network, ModelCache cache) throws UserMistakeException, IOException {
    this.file = SafetensorsFile.open(cache.weights(network, ModelProgress.none()));
  }

  /**
   * Returns values for tensors of a layer, each in direct memory: the weights, and zeros for all
   * others.
   *
   * @param tensors tensors that begin with the part's weights
   */
  List<ByteBuffer> of(NetworkPart part, List<TensorShape> tensors) throws IOException {
    List<String> names = part.tensors().stream().map(TensorShape::name).toList();
    var values = new ArrayList<ByteBuffer>();
    for (TensorShape tensor : tensors) {
      values.add(ByteBuffer.allocateDirect((int) tensor.bytes()).order(ByteOrder.nativeOrder()));
    }
    for (Entry entry : file.entries()) {
      int at = names.indexOf(entry.tensor().name());
      if (at >= 0) {
        file.read(entry.offset(), values.get(at));
        values.get(at).flip();
      }
    }
    return values;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
