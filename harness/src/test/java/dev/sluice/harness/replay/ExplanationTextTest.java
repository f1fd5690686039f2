package dev.sluice.harness.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Times and lists as people read them. */
final class ExplanationTextTest {
  @Test
  void durationsHaveAsManyDigitsAsTheyNeed() {
    assertThat(ExplanationText.ms(0)).isEqualTo("0");
    assertThat(ExplanationText.ms(4_000)).isEqualTo("0");
    assertThat(ExplanationText.ms(12_345)).isEqualTo("0.01");
    assertThat(ExplanationText.ms(94_000)).isEqualTo("0.09");
    assertThat(ExplanationText.ms(99_000)).isEqualTo("0.1");
    assertThat(ExplanationText.ms(5_000_000)).isEqualTo("5");
    assertThat(ExplanationText.ms(-5_020_000)).isEqualTo("-5");
    assertThat(ExplanationText.ms(9_940_000)).isEqualTo("9.9");
    assertThat(ExplanationText.ms(9_960_000)).isEqualTo("10");
    assertThat(ExplanationText.ms(20_000_000)).isEqualTo("20");
    assertThat(ExplanationText.ms(3_232_499_999L)).isEqualTo("3,232");
    assertThat(ExplanationText.at(12_068_500_000L)).isEqualTo("12.069");
  }

  @Test
  void ofManyNamesTheFirstAreShown() {
    assertThat(ExplanationText.some(List.of("a"), 3)).isEqualTo("a");
    assertThat(ExplanationText.some(List.of("a", "b"), 3)).isEqualTo("a and b");
    assertThat(ExplanationText.some(List.of("a", "b", "c", "d"), 3)).isEqualTo("a, b, c and d");
    assertThat(ExplanationText.some(List.of("a", "b", "c", "d", "e"), 3))
        .isEqualTo("a, b, c and 2 more");
    assertThat(ExplanationText.count(1, "job")).isEqualTo("1 job");
    assertThat(ExplanationText.count(12_000, "job")).isEqualTo("12,000 jobs");
  }
}
