package dev.sluice.contract.experiment;

import java.util.List;
import java.util.Locale;

/**
 * A tensor that a user's own model takes: [samples, shape…] of random values.
 *
 * @param name its name in the model; empty: the model has one input, whose name is not asked
 * @param shape shape of one sample, without the batch axis; empty: one value a sample
 * @param range the least and the greatest value, both of which may be drawn; of whole numbers each
 *     is as likely. Empty: floats of mean 0 and variance 1
 */
public record ModelInput(String name, List<Integer> shape, Dtype dtype, List<Double> range) {
  /** Kind of the values, with its name in files. */
  public enum Dtype {
    FLOAT32(4),
    FLOAT16(2),
    INT64(8),
    INT32(4),
    UINT8(1);

    private final int bytes;

    Dtype(int bytes) {
      this.bytes = bytes;
    }

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    public int bytes() {
      return bytes;
    }

    public boolean isWhole() {
      return this != FLOAT32 && this != FLOAT16;
    }
  }

  public ModelInput {
    shape = List.copyOf(shape);
    range = List.copyOf(range);
    if (shape.stream().anyMatch(size -> size < 1)) {
      throw new IllegalArgumentException("shape (" + shape + ") has no elements");
    }
    if (range.isEmpty() ? dtype.isWhole() : range.size() != 2 || range.get(0) > range.get(1)) {
      throw new IllegalArgumentException("range (" + range + ") has no values");
    }
  }

  /** The only input of a model that takes float32: the key {@code input_shape}. */
  public static ModelInput of(List<Integer> shape) {
    return new ModelInput("", shape, Dtype.FLOAT32, List.of());
  }

  public int elementsPerSample() {
    return shape.stream().reduce(1, Math::multiplyExact);
  }

  /** The input as a message shows it: {@code ids [16] of int64}. */
  public String words() {
    return (name.isEmpty() ? "" : name + " ") + shape + " of " + dtype.text();
  }
}
