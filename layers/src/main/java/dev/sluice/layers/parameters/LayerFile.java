package dev.sluice.layers.parameters;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.layers.parameters.SafetensorsFile.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A safetensors file as the source of a model's layers.
 *
 * @param layers places of each layer's tensors, in the order in which a read gives them
 */
public record LayerFile(SafetensorsFile file, List<List<Entry>> layers) implements ParameterSource {
  /**
   * Opens a file that holds the tensors of all layers, and no others.
   *
   * @param layers tensors of each layer, in the order in which a read gives them
   * @throws UserMistakeException if the file is missing, damaged, or of another model
   * @throws IOException if the system fails to read it
   */
  public static LayerFile open(Path path, List<List<TensorShape>> layers)
      throws UserMistakeException, IOException {
    SafetensorsFile file = SafetensorsFile.open(path);
    try {
      List<Entry> entries = file.require(layers.stream().flatMap(List::stream).toList());
      List<List<Entry>> places = new ArrayList<>();
      int first = 0;
      for (List<TensorShape> layer : layers) {
        places.add(entries.subList(first, first + layer.size()));
        first += layer.size();
      }
      return new LayerFile(file, places);
    } catch (UserMistakeException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  @Override
  public void read(int layer, ByteBuffer into) throws IOException {
    for (Entry tensor : layers.get(layer)) {
      file.read(tensor.offset(), into.limit(into.position() + Math.toIntExact(tensor.bytes())));
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
