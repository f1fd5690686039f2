package dev.sluice.harness.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The silence of a broker, and what is told of it. */
final class BrokerWatchTest {
  private static final long S = 1_000_000_000;
  private static final Instant AT = Instant.parse("2026-11-22T10:20:30Z");

  private final BrokerWatch.Silence silence = new BrokerWatch.Silence("kafka:9092");

  private Optional<String> take(boolean answers, long second) {
    return silence.take(answers, second * S, AT.plusSeconds(second));
  }

  @Test
  void missesNoBrokerThatNeverAnswered() {
    for (int second = 0; second < 100; second++) {
      assertThat(take(false, second)).isEmpty();
    }
  }

  @Test
  void tellsEachSilenceOnce_andItsEnd() {
    assertThat(take(true, 1)).isEmpty();
    assertThat(take(false, 5)).isEmpty();
    assertThat(take(false, 6))
        .hasValue(
            "warning: the broker (kafka:9092) has not answered since 10:20:31 UTC."
                + " The run waits for it, and fails if it stays away.");
    assertThat(take(false, 7)).isEmpty();
    assertThat(take(true, 15)).hasValue("The broker (kafka:9092) answers again, after 14 s.");
    assertThat(take(true, 16)).isEmpty();
    assertThat(take(false, 20)).isEmpty();
    assertThat(take(false, 21)).isPresent();
  }

  @Test
  void saysNothingOfASlowAnswer() {
    assertThat(take(true, 1)).isEmpty();
    assertThat(take(false, 4)).isEmpty();
    assertThat(take(true, 5)).isEmpty();
  }
}
