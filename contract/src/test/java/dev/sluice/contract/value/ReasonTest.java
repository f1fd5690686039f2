package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Reasons and their texts. */
final class ReasonTest {
  @Test
  void isKnownByItsText_andByNothingElse() {
    for (Reason reason : Reason.values()) {
      for (Reason other : Reason.values()) {
        assertThat(reason.is(other.text())).isEqualTo(reason == other);
      }
      assertThat(reason.is("a lane's own words")).isFalse();
      assertThat(reason.is(null)).isFalse();
    }
    assertThat(Reason.TOO_LATE.text()).isEqualTo("too_late");
  }
}
