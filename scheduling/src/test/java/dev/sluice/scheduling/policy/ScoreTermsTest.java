package dev.sluice.scheduling.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The terms are a map in the order of their names. */
final class ScoreTermsTest {
  @Test
  void areAMap_inTheirOrder() {
    ScoreTerms terms = ScoreTerms.of(List.of("urgency", "age"), 2, 0.5);
    assertThat(terms.entrySet()).hasSize(2);
    assertThat(terms).containsExactly(Map.entry("urgency", 2.0), Map.entry("age", 0.5));
    assertThat(terms).isEqualTo(Map.of("age", 0.5, "urgency", 2.0));
  }

  @Test
  void haveAValueForEachName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ScoreTerms.of(List.of("urgency"), 2, 0.5))
        .withMessage("(2) values for terms [urgency]");
  }
}
