package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Comparator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of dispatches: their order, and their written form. */
final class DispatchIdTest {
  @Test
  void idsRise_byOffsetThenIndex_notAsTexts() {
    assertThat(DispatchId.parse("9-0")).isLessThan(DispatchId.parse("10-0"));
    assertThat(DispatchId.parse("10-2")).isLessThan(DispatchId.parse("10-10"));
    assertThat(DispatchId.parse("10-99")).isLessThan(DispatchId.parse("11-0"));
  }

  @Property
  void theOrder_isThatOfOffsetAndIndex(
      @ForAll @LongRange(min = 0, max = 3) long offset,
      @ForAll @IntRange(max = 3) int index,
      @ForAll @LongRange(min = 0, max = 3) long otherOffset,
      @ForAll @IntRange(max = 3) int otherIndex) {
    var id = new DispatchId(offset, index);
    var other = new DispatchId(otherOffset, otherIndex);
    int expected =
        Comparator.comparingLong(DispatchId::factOffset)
            .thenComparingInt(DispatchId::index)
            .compare(id, other);
    assertThat(Integer.signum(id.compareTo(other))).isEqualTo(Integer.signum(expected));
    assertThat(id.compareTo(other) == 0).isEqualTo(id.equals(other));
  }

  @Property
  void theWrittenForm_isReadBack(
      @ForAll @LongRange(min = 0) long offset, @ForAll @IntRange(min = 0) int index) {
    var id = new DispatchId(offset, index);
    assertThat(DispatchId.parse(id.toString())).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-", "12", "12-", "-1-0", "12--1", "a-0", "1-0-0", "99999999999999999999-0"})
  void aTextThatIsNoId_isRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> DispatchId.parse(text));
  }
}
