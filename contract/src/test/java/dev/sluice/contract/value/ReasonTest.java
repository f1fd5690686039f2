package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Reasons as events and tables hold them. */
final class ReasonTest {
  @Test
  void theTexts_areThoseOfTheLogsThatWereWritten() {
    assertThat(Stream.of(Reason.values()).map(Reason::text))
        .containsExactly(
            "expired",
            "hopeless",
            "over_budget",
            "queue_full",
            "waited_too_long",
            "run_ended",
            "unrunnable",
            "input_not_done",
            "lane_lost",
            "busy",
            "too_late",
            "older_incarnation",
            "unsupported");
  }

  @Test
  void aText_isOneReasonOrNone() {
    assertThat(Reason.of("run_ended")).contains(Reason.RUN_ENDED);
    assertThat(Reason.of("out of memory")).isEmpty();
    assertThat(Reason.of(null)).isEmpty();
    assertThat(Reason.BUSY.is("busy")).isTrue();
    assertThat(Reason.BUSY.is("BUSY")).isFalse();
    assertThat(Reason.BUSY.is(null)).isFalse();
  }
}
