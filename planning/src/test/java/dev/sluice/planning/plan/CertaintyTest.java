package dev.sluice.planning.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How sure times are, in words, and when they are doubtful. */
final class CertaintyTest {
  private static final List<Double> LAYERS = List.of(0.1, 0.3);

  @Test
  void theWordsTellWhatIsKnown() {
    assertThat(Certainty.of(0.031, 0.4, LAYERS).words())
        .isEqualTo(
            "the times spread by 3.1 %, and the layers alone add up to 1.00 of the whole model");
    assertThat(Certainty.of(0.031, null, LAYERS).words()).isEqualTo("the times spread by 3.1 %");
    assertThat(Certainty.of(null, 0.5, LAYERS).words())
        .isEqualTo("the layers alone add up to 0.80 of the whole model");
    assertThat(Certainty.of(null, null, LAYERS).words()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0.19, 0.4, false",
    "0.21, 0.4, true",
    "0.1, 0.5, true",
    "0.1, 0.3, true",
    ", , false"
  })
  void widelySpreadTimes_orASumFarFromTheWhole_areDoubtful(
      Double spread, Double wholeSeconds, boolean doubtful) {
    assertThat(Certainty.of(spread, wholeSeconds, LAYERS).isDoubtful()).isEqualTo(doubtful);
  }
}
