package dev.sluice.layers.parameters;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.SafetensorsHeader;
import dev.sluice.executor.network.SafetensorsHeader.Entry;
import dev.sluice.executor.network.TensorShape;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A safetensors file whose header was checked whole, so that each tensor is where its entry says.
 * Several threads may read at once.
 */
public final class SafetensorsFile implements AutoCloseable {
  private final Path file;
  private final FileChannel channel;
  private final Map<String, Entry> entryByName = new LinkedHashMap<>();

  private SafetensorsFile(Path file, FileChannel channel, List<Entry> entries) {
    this.file = file;
    this.channel = channel;
    entries.forEach(entry -> entryByName.put(entry.tensor().name(), entry));
  }

  /**
   * Opens a file and checks its header.
   *
   * @throws UserMistakeException if there is no such file, or it is not whole and consistent
   * @throws IOException if the system fails to read it
   */
  public static SafetensorsFile open(Path file) throws UserMistakeException, IOException {
    UserMistakeException.throwIf(
        Files.isDirectory(file),
        file.toString(),
        "this is a folder, not a file",
        "one of its files was meant");
    FileChannel channel;
    try {
      channel = FileChannel.open(file, StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      throw new UserMistakeException(
          file.toString(), "the file does not exist", "its name is spelt otherwise", e);
    }
    try {
      return new SafetensorsFile(file, channel, entries(file.toString(), channel));
    } catch (UserMistakeException | IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static List<Entry> entries(String source, FileChannel channel)
      throws UserMistakeException, IOException {
    long fileBytes = channel.size();
    UserMistakeException.throwIf(
        fileBytes < SafetensorsHeader.LENGTH_BYTES,
        source,
        "the file has (" + fileBytes + ") bytes, fewer than a header's length takes",
        SafetensorsHeader.DAMAGED);
    ByteBuffer length = ByteBuffer.allocate(SafetensorsHeader.LENGTH_BYTES);
    readFully(channel, 0, length);
    long jsonBytes = length.flip().order(ByteOrder.LITTLE_ENDIAN).getLong();
    UserMistakeException.throwIf(
        jsonBytes < 0 || jsonBytes > SafetensorsHeader.JSON_BYTES_MAX,
        source,
        "the header's length (%s bytes) is above the limit (%d bytes)"
            .formatted(Long.toUnsignedString(jsonBytes), SafetensorsHeader.JSON_BYTES_MAX),
        "this is no safetensors file");
    long dataBytes = fileBytes - SafetensorsHeader.LENGTH_BYTES - jsonBytes;
    UserMistakeException.throwIf(
        dataBytes < 0,
        source,
        "the header's length (%d bytes) runs past the end of the file (%d bytes)"
            .formatted(jsonBytes, fileBytes),
        SafetensorsHeader.DAMAGED);
    ByteBuffer json = ByteBuffer.allocate((int) jsonBytes);
    readFully(channel, SafetensorsHeader.LENGTH_BYTES, json);
    return SafetensorsHeader.read(source, json.array(), dataBytes);
  }

  /** Returns all tensors, by their place in the file. */
  public List<Entry> entries() {
    return List.copyOf(entryByName.values());
  }

  /**
   * Demands that the file holds these tensors and no others.
   *
   * @return their entries, in the order of {@code expected}
   * @throws UserMistakeException if a tensor is missing, unknown, or of another type or shape;
   *     names each
   */
  public List<Entry> require(List<TensorShape> expected) throws UserMistakeException {
    var problems = new Problems(file.toString(), Problems.LISTED_MAX);
    var place = new Place(file.toString(), 0);
    Set<String> unknown = new HashSet<>(entryByName.keySet());
    for (TensorShape tensor : expected) {
      unknown.remove(tensor.name());
      Entry entry = entryByName.get(tensor.name());
      if (entry == null) {
        problems.error(
            place, "tensor (" + tensor.name() + ") is missing", "the file is of another model");
      } else if (!entry.tensor().equals(tensor)) {
        problems.error(
            place,
            "tensor (%s) is %s of shape %s, not %s of shape %s"
                .formatted(
                    tensor.name(),
                    entry.tensor().dtype(),
                    entry.tensor().shape(),
                    tensor.dtype(),
                    tensor.shape()),
            "the file is of another model");
      }
    }
    List<String> names = expected.stream().map(TensorShape::name).toList();
    unknown.stream()
        .sorted()
        .forEach(
            name ->
                problems.error(
                    place,
                    "tensor (" + name + ") is unknown",
                    NearestName.of(name, names)
                        .map(nearest -> "it is a misspelt " + nearest)
                        .orElse("the file is of another model")));
    problems.throwIfAny();
    return names.stream().map(entryByName::get).toList();
  }

  /**
   * Reads bytes of the file into the rest of a buffer, straight into it if it is direct.
   *
   * @param offset first byte, from the start of the file
   * @throws EOFException if the file has become shorter
   */
  public void read(long offset, ByteBuffer into) throws IOException {
    readFully(channel, offset, into);
  }

  private static void readFully(FileChannel channel, long offset, ByteBuffer into)
      throws IOException {
    long at = offset;
    while (into.hasRemaining()) {
      int read = channel.read(into, at);
      if (read < 0) {
        throw new EOFException(
            "the file ends before byte " + at + ": it was cut while it was read");
      }
      at += read;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
