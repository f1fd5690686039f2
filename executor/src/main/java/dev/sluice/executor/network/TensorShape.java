package dev.sluice.executor.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A tensor of a safetensors file, without its values.
 *
 * @param dtype the format's name of the values' type, such as F32
 * @param shape sizes of the axes; empty: one value
 */
public record TensorShape(String name, String dtype, List<Long> shape) {
  public static final String FLOAT32 = "F32";

  /** The data begins at a multiple of this number of bytes, as in other writers' files. */
  private static final int ALIGNMENT_BYTES = 8;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Bytes of one value, by the format's names of types. */
  public static final Map<String, Integer> VALUE_BYTES =
      Map.ofEntries(
          Map.entry("BOOL", 1),
          Map.entry("U8", 1),
          Map.entry("I8", 1),
          Map.entry("F8_E5M2", 1),
          Map.entry("F8_E4M3", 1),
          Map.entry("U16", 2),
          Map.entry("I16", 2),
          Map.entry("F16", 2),
          Map.entry("BF16", 2),
          Map.entry("U32", 4),
          Map.entry("I32", 4),
          Map.entry(FLOAT32, 4),
          Map.entry("U64", 8),
          Map.entry("I64", 8),
          Map.entry("F64", 8));

  public TensorShape {
    shape = List.copyOf(shape);
  }

  public static TensorShape float32(String name, List<Integer> shape) {
    return new TensorShape(name, FLOAT32, shape.stream().map(Integer::longValue).toList());
  }

  /** Fails if they exceed a long. */
  public long bytes() {
    return bytesIfAny()
        .orElseThrow(() -> new ArithmeticException("tensor (" + name + ") is too large"));
  }

  /** Bytes of all values; empty: they exceed a long. */
  public OptionalLong bytesIfAny() {
    if (shape.contains(0L)) {
      return OptionalLong.of(0);
    }
    long bytes = VALUE_BYTES.getOrDefault(dtype, 0);
    for (long size : shape) {
      if (Math.multiplyHigh(bytes, size) != 0 || bytes * size < 0) {
        return OptionalLong.empty();
      }
      bytes *= size;
    }
    return OptionalLong.of(bytes);
  }

  /**
   * Returns the header of a file that holds tensors of unequal names one behind the other: its
   * length as an unsigned 64-bit number, low byte first, then JSON that gives each tensor's type,
   * shape and place in the data behind the header.
   *
   * <p>Source: the section Format of the README in github.com/huggingface/safetensors.
   */
  public static byte[] header(List<TensorShape> tensors) {
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
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(length).put(text);
    while (bytes.hasRemaining()) {
      bytes.put((byte) ' ');
    }
    return bytes.array();
  }
}
