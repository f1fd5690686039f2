package dev.sluice.executor.network;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntUnaryOperator;

/**
 * The precision in which a network holds its weights and computes. Its inputs and its logits are
 * float32 in every precision.
 */
public enum Precision {
  /** IEEE 754 binary32. */
  FP32(4, 6, "FloatStorage"),
  /** IEEE 754 binary16: 11 significant bits, up to 65504. */
  FP16(2, 5, "HalfStorage"),
  /** The upper half of a binary32: 8 significant bits, the range of float32. */
  BF16(2, 15, "BFloat16Storage");

  private final int bytesPerValue;

  /** PyTorch's number of the type, as TorchScript writes it. */
  final int torchScalarType;

  final String torchStorage;

  Precision(int bytesPerValue, int torchScalarType, String torchStorage) {
    this.bytesPerValue = bytesPerValue;
    this.torchScalarType = torchScalarType;
    this.torchStorage = torchStorage;
  }

  public static Precision named(String configName) {
    return Arrays.stream(values())
        .filter(precision -> precision.name().toLowerCase(Locale.ROOT).equals(configName))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "precision (" + configName + ") is not fp32, fp16 or bf16"));
  }

  long bytes(Weight weight) {
    return (long) bytesPerValue * weight.elements();
  }

  /** Each value is rounded to the nearest, to the even one of two equally near. */
  byte[] littleEndian(float[] values) {
    ByteBuffer bytes =
        ByteBuffer.allocate(bytesPerValue * values.length).order(ByteOrder.LITTLE_ENDIAN);
    switch (this) {
      case FP32 -> bytes.asFloatBuffer().put(values);
      case FP16 -> put(values, Precision::binary16, bytes);
      case BF16 -> put(values, Precision::bfloat16, bytes);
    }
    return bytes.array();
  }

  private static void put(float[] values, IntUnaryOperator ofBits, ByteBuffer bytes) {
    for (float value : values) {
      bytes.putShort((short) ofBits.applyAsInt(Float.floatToIntBits(value)));
    }
  }

  /** Returns the nearest bfloat16 to the float32 of these bits. */
  static int bfloat16(int bits) {
    if ((bits & 0x7FFFFFFF) > 0x7F800000) {
      return 0x7FC0; // not a number; rounding could carry it into infinity
    }
    return (bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16;
  }

  public static float ofBinary16(int bits) {
    int exponent = (bits >>> 10) & 0x1F;
    int fraction = bits & 0x3FF;
    float magnitude =
        switch (exponent) {
          case 0 -> fraction * 0x1p-24f;
          case 0x1F -> fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
          default -> Float.intBitsToFloat(((exponent + 127 - 15) << 23) | (fraction << 13));
        };
    return (bits & 0x8000) == 0 ? magnitude : -magnitude;
  }

  /** Returns the nearest binary16 to the float32 of these bits; infinity from 65520 on. */
  public static int binary16(int bits) {
    int sign = (bits >>> 16) & 0x8000;
    int magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) {
      return 0x7E00; // not a number
    }
    if (magnitude >= 0x477FF000) { // 65520, half-way to what would be 65536
      return sign | 0x7C00;
    }
    if (magnitude < 0x38800000) { // 2^-14, the least normal one: multiples of 2^-24 below it
      return sign | (int) Math.rint(Float.intBitsToFloat(magnitude) * 0x1p24);
    }
    int rebiased = magnitude - ((127 - 15) << 23);
    return sign | ((rebiased + 0xFFF + ((rebiased >>> 13) & 1)) >>> 13);
  }
}
