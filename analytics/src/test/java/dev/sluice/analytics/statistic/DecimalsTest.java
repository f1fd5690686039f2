package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class DecimalsTest {
  @Property
  void plainReadsBackAsTheSameNumber(@ForAll double value) {
    String plain = Decimals.plain(value);
    assertThat(new BigDecimal(plain)).isEqualByComparingTo(new BigDecimal(Double.toString(value)));
    assertThat(plain).doesNotContain("E").doesNotContainPattern("\\.\\d*0$");
  }

  @Property
  void plainLeavesAWholeNumberWhole(@ForAll int value) {
    assertThat(Decimals.plain(value)).isEqualTo(Integer.toString(value));
  }

  @Example
  void plainByHand() {
    assertThat(Decimals.plain(0.5)).isEqualTo("0.5");
    assertThat(Decimals.plain(-0.0)).isEqualTo("0");
    assertThat(Decimals.plain(100)).isEqualTo("100");
    assertThat(Decimals.plain(2e-3)).isEqualTo("0.002");
    assertThat(Decimals.plain(1e20)).isEqualTo("100000000000000000000");
  }

  @Test
  void anInfiniteValueIsNone_inWhatPeopleRead() {
    assertThat(Decimals.short3(Double.POSITIVE_INFINITY)).isEqualTo("none");
    assertThat(Decimals.short3(12.345)).isEqualTo("12.3");
  }
}
