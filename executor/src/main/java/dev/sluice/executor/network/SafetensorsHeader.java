package dev.sluice.executor.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The header of a safetensors file: its length as an unsigned 64-bit number, low byte first, then
 * JSON that gives each tensor's type, shape and place in the data behind the header.
 *
 * <p>Source: the section Format of the README in github.com/huggingface/safetensors.
 */
public final class SafetensorsHeader {
  /** Bytes of the length in front of the JSON. */
  public static final int LENGTH_BYTES = 8;

  /** Longest JSON that is read, enough for 100,000 tensors. The format's own limit is 100 MB. */
  public static final int JSON_BYTES_MAX = 16 << 20;

  /** The key of texts about the file, which is no tensor. */
  private static final String METADATA = "__metadata__";

  /** The data begins at a multiple of this number of bytes, as in other writers' files. */
  private static final int ALIGNMENT_BYTES = 8;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Tree.Limits LIMITS = new Tree.Limits(4, 2_000_000);
  private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,17}");
  private static final List<String> KEYS = List.of("dtype", "shape", "data_offsets");

  /** Advice for a file that ends too early. */
  public static final String DAMAGED =
      "the file was cut short or damaged, and must be fetched again";

  private static final String WRONG_WRITER = "the program that wrote the file has a fault";

  private final Place place;
  private final Problems problems;
  private final List<Span> spans = new ArrayList<>();

  /**
   * A tensor.
   *
   * @param offset place of its bytes from the start of the file
   */
  public record Entry(TensorShape tensor, long offset, long bytes) {}

  /** Bytes of a tensor from the start of the data, the end behind the last one. */
  private record Span(TensorShape tensor, long begin, long end) {}

  private SafetensorsHeader(String source) {
    this.place = new Place(source, 0);
    this.problems = new Problems(source, Problems.LISTED_MAX);
  }

  /** The file holds the tensors, of unequal names, one behind the other. */
  public static byte[] write(List<TensorShape> tensors) {
    ObjectNode json = JSON.createObjectNode();
    long at = 0;
    for (TensorShape tensor : tensors) {
      long end = Math.addExact(at, tensor.bytes());
      ObjectNode entry = json.putObject(tensor.name()).put("dtype", tensor.dtype());
      tensor.shape().forEach(entry.putArray("shape")::add);
      entry.putArray("data_offsets").add(at).add(end);
      at = end;
    }
    byte[] text = json.toString().getBytes(UTF_8);
    int length = (text.length + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(length).put(text);
    while (bytes.hasRemaining()) {
      bytes.put((byte) ' ');
    }
    return bytes.array();
  }

  /**
   * Reads the JSON, checks it whole against the bytes behind the header, and returns the tensors by
   * their place in the file; a mistake names each fault.
   */
  public static List<Entry> read(String source, byte[] json, long dataBytes)
      throws UserMistakeException {
    var header = new SafetensorsHeader(source);
    if (json.length == 0 || json[0] != '{') {
      throw new UserMistakeException(
          source,
          "this is not safetensors (the header does not begin with {)",
          "another file was meant");
    }
    try (Tree tree = Tree.ofJson(json, line -> new Place(source, 0), LIMITS)) {
      Value whole = tree.whole(header.problems);
      if (whole instanceof Mapping mapping) {
        mapping.entries().forEach((name, entry) -> header.add(name, entry.value()));
      }
    }
    header.problems.throwIfAny();
    header.checkSpans(dataBytes);
    header.problems.throwIfAny();
    long dataAt = LENGTH_BYTES + (long) json.length;
    return header.spans.stream()
        .map(span -> new Entry(span.tensor(), dataAt + span.begin(), span.end() - span.begin()))
        .toList();
  }

  private void fault(String name, String what, String maybe) {
    problems.error(place, "tensor (" + name + ") " + what, maybe);
  }

  private void add(String name, Value value) {
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
    var span = new Span(new TensorShape(name, dtype, shape), offsets.get(0), offsets.get(1));
    OptionalLong bytes = span.tensor().bytesIfAny();
    if (bytes.isEmpty() || bytes.getAsLong() != span.end() - span.begin()) {
      fault(
          name,
          "holds bytes %d to %d, but shape %s of %s takes %s"
              .formatted(
                  span.begin(),
                  span.end(),
                  shape,
                  dtype,
                  bytes.isPresent() ? bytes.getAsLong() + " bytes" : "more than 2^63 bytes"),
          WRONG_WRITER);
    }
    spans.add(span);
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

  private void checkSpans(long dataBytes) {
    spans.sort(Comparator.comparingLong(Span::begin).thenComparingLong(Span::end));
    long at = 0;
    for (Span span : spans) {
      String name = span.tensor().name();
      if (span.begin() < at) {
        fault(
            name,
            "begins at byte %d of the data, inside the tensor that ends at %d"
                .formatted(span.begin(), at),
            WRONG_WRITER);
      } else if (span.begin() > at) {
        fault(
            name,
            "leaves a gap: it begins at byte %d of the data, not %d".formatted(span.begin(), at),
            WRONG_WRITER);
      }
      at = Math.max(at, span.end());
      if (span.end() > dataBytes) {
        fault(
            name,
            "ends at byte %d of the data, which has %d".formatted(span.end(), dataBytes),
            DAMAGED);
      }
    }
    if (at < dataBytes) {
      problems.error(
          place,
          "the data has %d bytes, of which the tensors take %d".formatted(dataBytes, at),
          "something was written behind the end of the file");
    }
  }
}
