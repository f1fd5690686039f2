package dev.sluice.layers.parameters;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A safetensors file whose header was checked whole, so that each tensor is where its entry says.
 * Several threads may read at once.
 *
 * <p>Source: the section Format of the README in github.com/huggingface/safetensors.
 */
public final class SafetensorsFile implements AutoCloseable {
  /** Bytes of the length in front of the JSON. */
  private static final int LENGTH_BYTES = 8;

  /** Longest JSON that is read, enough for 100,000 tensors. The format's own limit is 100 MB. */
  private static final int JSON_BYTES_MAX = 16 << 20;

  /** The key of texts about the file, which is no tensor. */
  private static final String METADATA = "__metadata__";

  private static final Tree.Limits LIMITS = new Tree.Limits(4, 2_000_000);
  private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,17}");
  private static final List<String> KEYS = List.of("dtype", "shape", "data_offsets");

  /** Advice for a file that ends too early. */
  private static final String DAMAGED =
      "the file was cut short or damaged, and must be fetched again";

  private static final String WRONG_WRITER = "the program that wrote the file has a fault";

  private final Place place;
  private final FileChannel channel;
  private final Problems problems;

  /** Tensors by their place in the file. */
  private final List<Entry> entries = new ArrayList<>();

  /**
   * A tensor.
   *
   * @param offset place of its bytes from the start of the file
   */
  public record Entry(TensorShape tensor, long offset, long bytes) {}

  private SafetensorsFile(Path file, FileChannel channel) {
    this.place = new Place(file.toString(), 0);
    this.channel = channel;
    this.problems = new Problems(file.toString(), Problems.LISTED_MAX);
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
      var opened = new SafetensorsFile(file, channel);
      opened.readHeader(file.toString());
      return opened;
    } catch (UserMistakeException | IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private void readHeader(String source) throws UserMistakeException, IOException {
    long fileBytes = channel.size();
    UserMistakeException.throwIf(
        fileBytes < LENGTH_BYTES,
        source,
        "the file has (" + fileBytes + ") bytes, fewer than a header's length takes",
        DAMAGED);
    ByteBuffer length = ByteBuffer.allocate(LENGTH_BYTES);
    read(0, length);
    long jsonBytes = length.flip().order(ByteOrder.LITTLE_ENDIAN).getLong();
    UserMistakeException.throwIf(
        jsonBytes < 0 || jsonBytes > JSON_BYTES_MAX,
        source,
        "the header's length (%s bytes) is above the limit (%d bytes)"
            .formatted(Long.toUnsignedString(jsonBytes), JSON_BYTES_MAX),
        "this is no safetensors file");
    long dataAt = LENGTH_BYTES + jsonBytes;
    UserMistakeException.throwIf(
        dataAt > fileBytes,
        source,
        "the header's length (%d bytes) runs past the end of the file (%d bytes)"
            .formatted(jsonBytes, fileBytes),
        DAMAGED);
    ByteBuffer json = ByteBuffer.allocate((int) jsonBytes);
    read(LENGTH_BYTES, json);
    UserMistakeException.throwIf(
        jsonBytes == 0 || json.get(0) != '{',
        source,
        "this is not safetensors (the header does not begin with {)",
        "another file was meant");
    try (Tree tree = Tree.ofJson(json.array(), line -> place, LIMITS)) {
      Value whole = tree.whole(problems);
      if (whole instanceof Mapping mapping) {
        mapping.entries().forEach((name, entry) -> add(name, entry.value(), dataAt));
      }
    }
    problems.throwIfAny();
    checkPlaces(dataAt, fileBytes - dataAt);
    problems.throwIfAny();
  }

  private void fault(String name, String what, String maybe) {
    problems.error(place, "tensor (" + name + ") " + what, maybe);
  }

  private void add(String name, Value value, long dataAt) {
    if (name.equals(METADATA)) {
      return;
    }
    if (!(value instanceof Mapping mapping)) {
      fault(name, "is not described by a mapping", WRONG_WRITER);
      return;
    }
    for (String key : mapping.entries().keySet()) {
      if (!KEYS.contains(key)) {
        fault(name, "has an unknown key (" + key + ")", NearestName.advice(key, KEYS, "keys"));
      }
    }
    String dtype = text(mapping, "dtype");
    List<Long> shape = wholes(mapping, "shape");
    List<Long> offsets = wholes(mapping, "data_offsets");
    if (dtype == null || shape == null || offsets == null || offsets.size() != 2) {
      fault(
          name,
          "needs dtype as a text, shape as whole numbers, data_offsets as two of them",
          WRONG_WRITER);
      return;
    }
    if (!TensorShape.VALUE_BYTES.containsKey(dtype)) {
      fault(
          name,
          "has an unknown dtype (" + dtype + ")",
          NearestName.advice(dtype, TensorShape.VALUE_BYTES.keySet(), "types"));
      return;
    }
    var tensor = new TensorShape(name, dtype, shape);
    long begin = offsets.get(0);
    long end = offsets.get(1);
    OptionalLong bytes = tensor.bytesIfAny();
    if (bytes.isEmpty() || bytes.getAsLong() != end - begin) {
      fault(
          name,
          "holds bytes %d to %d, but shape %s of %s takes %s"
              .formatted(
                  begin,
                  end,
                  shape,
                  dtype,
                  bytes.isPresent() ? bytes.getAsLong() + " bytes" : "more than 2^63 bytes"),
          WRONG_WRITER);
    }
    entries.add(new Entry(tensor, dataAt + begin, end - begin));
  }

  private static @Nullable String text(Mapping mapping, String key) {
    Value.Entry entry = mapping.entries().get(key);
    return entry != null && entry.value() instanceof Scalar scalar && scalar.quoted()
        ? scalar.text()
        : null;
  }

  private static @Nullable List<Long> wholes(Mapping mapping, String key) {
    Value.Entry entry = mapping.entries().get(key);
    if (entry == null || !(entry.value() instanceof Sequence sequence)) {
      return null;
    }
    var wholes = new ArrayList<Long>();
    for (Value item : sequence.items()) {
      if (!(item instanceof Scalar scalar)
          || scalar.quoted()
          || !WHOLE.matcher(scalar.text()).matches()) {
        return null;
      }
      wholes.add(Long.valueOf(scalar.text()));
    }
    return wholes;
  }

  /** Sorts the tensors by their place, and notes what overlaps, is left out or ends too late. */
  private void checkPlaces(long dataAt, long dataBytes) {
    entries.sort(Comparator.comparingLong(Entry::offset).thenComparingLong(Entry::bytes));
    long at = 0;
    for (Entry entry : entries) {
      String name = entry.tensor().name();
      long begin = entry.offset() - dataAt;
      long end = begin + entry.bytes();
      if (begin < at) {
        fault(
            name,
            "begins at byte %d of the data, inside the tensor that ends at %d".formatted(begin, at),
            WRONG_WRITER);
      } else if (begin > at) {
        fault(
            name,
            "leaves a gap: it begins at byte %d of the data, not %d".formatted(begin, at),
            WRONG_WRITER);
      }
      at = Math.max(at, end);
      if (end > dataBytes) {
        fault(name, "ends at byte %d of the data, which has %d".formatted(end, dataBytes), DAMAGED);
      }
    }
    if (at < dataBytes) {
      problems.error(
          place,
          "the data has %d bytes, of which the tensors take %d".formatted(dataBytes, at),
          "something was written behind the end of the file");
    }
  }

  /** Returns all tensors, by their place in the file. */
  public List<Entry> entries() {
    return List.copyOf(entries);
  }

  /**
   * Demands that the file holds these tensors and no others.
   *
   * @return their entries, in the order of {@code expected}
   * @throws UserMistakeException if a tensor is missing, unknown, or of another type or shape;
   *     names each
   */
  public List<Entry> require(List<TensorShape> expected) throws UserMistakeException {
    Map<String, Entry> entryByName = new HashMap<>();
    entries.forEach(entry -> entryByName.put(entry.tensor().name(), entry));
    var faults = new Problems(place.source(), Problems.LISTED_MAX);
    Set<String> unknown = new HashSet<>(entryByName.keySet());
    for (TensorShape tensor : expected) {
      unknown.remove(tensor.name());
      Entry entry = entryByName.get(tensor.name());
      if (entry == null) {
        faults.error(
            place, "tensor (" + tensor.name() + ") is missing", "the file is of another model");
      } else if (!entry.tensor().equals(tensor)) {
        faults.error(
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
                faults.error(
                    place,
                    "tensor (" + name + ") is unknown",
                    NearestName.of(name, names)
                        .map(nearest -> "it is a misspelt " + nearest)
                        .orElse("the file is of another model")));
    faults.throwIfAny();
    return names.stream().map(entryByName::get).toList();
  }

  /**
   * Reads bytes of the file into the rest of a buffer, straight into it if it is direct.
   *
   * @param offset first byte, from the start of the file
   * @throws EOFException if the file has become shorter
   */
  public void read(long offset, ByteBuffer into) throws IOException {
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
