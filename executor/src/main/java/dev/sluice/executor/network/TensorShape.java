package dev.sluice.executor.network;

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

  /** Bytes of one value, by the format's names of types. */
  static final Map<String, Integer> VALUE_BYTES =
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

  /** Empty: they exceed a long. */
  OptionalLong bytesIfAny() {
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
}
