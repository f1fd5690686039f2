package dev.sluice.layers.parameters;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.SafetensorsHeader.Entry;
import dev.sluice.executor.network.TensorShape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A safetensors file as the source of a model's layers. */
public final class LayerFile implements ParameterSource {
  private final SafetensorsFile file;
  private final List<List<Piece>> layers = new ArrayList<>();

  private record Piece(long offset, long bytes) {}

  private LayerFile(SafetensorsFile file) {
    this.file = file;
  }

  /**
   * Opens a file that holds the tensors of all layers, and no others. Where tensors of a layer
   * stand one behind the other, they are read as one piece.
   *
   * @param layers tensors of each layer, in the order in which a read gives them
   * @throws UserMistakeException if the file is missing, damaged, or of another model
   * @throws IOException if the system fails to read it
   */
  public static LayerFile open(Path path, List<List<TensorShape>> layers)
      throws UserMistakeException, IOException {
    var source = new LayerFile(SafetensorsFile.open(path));
    try {
      List<Entry> entries = source.file.require(layers.stream().flatMap(List::stream).toList());
      int first = 0;
      for (List<TensorShape> layer : layers) {
        source.layers.add(joined(entries.subList(first, first + layer.size())));
        first += layer.size();
      }
      return source;
    } catch (UserMistakeException | RuntimeException e) {
      source.close();
      throw e;
    }
  }

  private static List<Piece> joined(List<Entry> entries) {
    var pieces = new ArrayList<Piece>();
    for (Entry entry : entries) {
      int last = pieces.size() - 1;
      Piece before = last < 0 ? null : pieces.get(last);
      if (before != null && before.offset() + before.bytes() == entry.offset()) {
        pieces.set(last, new Piece(before.offset(), before.bytes() + entry.bytes()));
      } else {
        pieces.add(new Piece(entry.offset(), entry.bytes()));
      }
    }
    return pieces;
  }

  @Override
  public void read(int layer, ByteBuffer into) throws IOException {
    for (Piece piece : layers.get(layer)) {
      int end = into.position() + Math.toIntExact(piece.bytes());
      file.read(piece.offset(), into.limit(end));
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
