package dev.sluice.executor.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Rounding to half precision, against a decoder that follows the formats' definitions. */
final class PrecisionTest {
  @Test
  void everyBinary16_isItself_andThePointBetweenTwoGoesToTheEvenOne() {
    for (int half = 0; half < 0x7C00; half++) {
      float value = binary16(half);
      assertThat(Precision.binary16(Float.floatToIntBits(value))).isEqualTo(half);
      assertThat(Precision.binary16(Float.floatToIntBits(-value))).isEqualTo(half | 0x8000);
      float above = half == 0x7BFF ? 65536 : binary16(half + 1);
      int middle = Float.floatToIntBits((value + above) / 2); // exact: one more bit
      assertThat(Precision.binary16(middle)).isEqualTo(half + (half & 1));
      assertThat(Precision.binary16(middle - 1)).isEqualTo(half);
      assertThat(Precision.binary16(middle + 1)).isEqualTo(half + 1);
    }
  }

  @Test
  void whatBinary16CanNotHold_isInfiniteOrNotANumber() {
    assertThat(Precision.binary16(Float.floatToIntBits(65519.996f))).isEqualTo(0x7BFF);
    assertThat(Precision.binary16(Float.floatToIntBits(1e30f))).isEqualTo(0x7C00);
    assertThat(Precision.binary16(Float.floatToIntBits(Float.NEGATIVE_INFINITY))).isEqualTo(0xFC00);
    assertThat(Precision.binary16(Float.floatToIntBits(Float.NaN))).isEqualTo(0x7E00);
  }

  @Property
  void bfloat16_isTheNearest_andTheEvenOneOfTwo(@ForAll float value) {
    int upper = Precision.bfloat16(Float.floatToIntBits(value)) & 0xFFFF;
    int below = Float.floatToIntBits(value) >>> 16;

    double exact = value;
    double down = Math.abs(exact - bfloat16(below));
    double up = Math.abs(exact - bfloat16(below + 1));
    int nearest = down < up || (down == up && (below & 1) == 0) ? below : below + 1;
    assertThat(upper).isEqualTo(nearest);
  }

  @Test
  void everyBfloat16_isItself_andNotANumberStaysSo() {
    assertThat(IntStream.range(0, 0x7F80))
        .allSatisfy(upper -> assertThat(Precision.bfloat16(upper << 16)).isEqualTo(upper));
    assertThat(Precision.bfloat16(0x7F800001)).isEqualTo(0x7FC0);
  }

  @Test
  void valuesAreLittleEndian() {
    float[] values = {1, -2};
    assertThat(Precision.FP32.littleEndian(values)).containsExactly(0, 0, 128, 63, 0, 0, 0, 192);
    assertThat(Precision.FP16.littleEndian(values)).containsExactly(0, 60, 0, 192);
    assertThat(Precision.BF16.littleEndian(values)).containsExactly(128, 63, 0, 192);
  }

  @Test
  void anotherName_isRefused() {
    assertThat(Precision.named("bf16")).isEqualTo(Precision.BF16);
    assertThatThrownBy(() -> Precision.named("int8"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("precision (int8) is not fp32, fp16 or bf16");
  }

  /** Decodes a binary16 without its sign: 5 bits of exponent, 10 bits of fraction. */
  private static float binary16(int half) {
    int exponent = half >>> 10;
    int fraction = half & 0x3FF;
    return (float)
        (exponent == 0
            ? fraction * 0x1p-24
            : (1 + fraction * 0x1p-10) * Math.scalb(1.0, exponent - 15));
  }

  /**
   * Decodes a bfloat16 as a double; the value after the largest has its distance to the one before.
   */
  private static double bfloat16(int upper) {
    return (upper & 0x7FFF) == 0x7F80
        ? Math.copySign(0x1p128, upper >= 0x8000 ? -1 : 1)
        : Float.intBitsToFloat(upper << 16);
  }
}
