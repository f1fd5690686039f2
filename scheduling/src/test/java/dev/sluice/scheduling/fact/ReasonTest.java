package dev.sluice.scheduling.fact;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Reasons and their texts. */
final class ReasonTest {
  @Test
  void isFoundByItsText_andNothingElseIs() {
    for (Reason reason : Reason.values()) {
      assertThat(Reason.ofOrNull(reason.text())).isEqualTo(reason);
    }
    assertThat(Reason.TOO_LATE.text()).isEqualTo("too_late");
    assertThat(Reason.ofOrNull("a lane's own words")).isNull();
    assertThat(Reason.ofOrNull(null)).isNull();
  }
}
