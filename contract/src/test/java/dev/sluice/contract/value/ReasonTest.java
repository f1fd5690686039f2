package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Reasons and their texts. */
final class ReasonTest {
  @Test
  void isFoundByItsText_andNothingElseIs() {
    for (Reason reason : Reason.values()) {
      assertThat(Reason.of(reason.text())).contains(reason);
    }
    assertThat(Reason.TOO_LATE.text()).isEqualTo("too_late");
    assertThat(Reason.of("a lane's own words")).isEmpty();
    assertThat(Reason.of(null)).isEmpty();
  }
}
