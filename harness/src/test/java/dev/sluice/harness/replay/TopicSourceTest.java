package dev.sluice.harness.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.replay.TopicSource.Bound;
import dev.sluice.harness.replay.TopicSource.Bound.Kind;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds as they are typed. */
final class TopicSourceTest {
  @ParameterizedTest
  @CsvSource({
    "10m, 600000",
    "1h30m, 5400000",
    "1.5s, 1500",
    "250ms, 250",
    "2d, 172800000",
    "0s, 0",
  })
  void aTime_countsIntoTheTopic(String text, long millis) throws Exception {
    assertThat(Bound.parse("--to", text)).isEqualTo(new Bound(Kind.TIME_INTO_TOPIC, millis, text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-11-20T09:00Z", "2026-11-20T10:00:00.000+01:00"})
  void anInstant_hasAZone(String text) throws Exception {
    assertThat(Bound.parse("--from", text).value())
        .isEqualTo(Instant.parse("2026-11-20T09:00:00Z").toEpochMilli());
  }

  @ParameterizedTest
  @CsvSource({"offset:0, 0", "offset:1200, 1200"})
  void anOffset_isOne(String text, long offset) throws Exception {
    assertThat(Bound.parse("--from", text)).isEqualTo(new Bound(Kind.OFFSET, offset, text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "m", "10 m", "-1s", "offset:", "offset:-1", "noon", "1e3s"})
  void anythingElse_isRefused(String text) {
    assertThatThrownBy(() -> Bound.parse("--from", text))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("--from: error: the value (" + text + ") is no instant");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-11-20T09:00", "2026-11-20T09:00:01"})
  void aTimeOfDayWithoutAZone_isRefused_withTheZoneToType(String text) {
    assertThatThrownBy(() -> Bound.parse("--to", text))
        .hasMessageContaining("it lacks its zone: " + text + "Z is in UTC");
  }
}
