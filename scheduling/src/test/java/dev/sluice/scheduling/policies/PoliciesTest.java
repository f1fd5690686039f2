package dev.sluice.scheduling.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The registry of policies. */
final class PoliciesTest {
  @Test
  void knowsItsPoliciesByName() {
    assertThat(Policies.names()).isSorted().doesNotHaveDuplicates().contains("fifo", "random");
    for (String name : Policies.names()) {
      assertThat(Policies.create(name, Map.of()).getClass().getSimpleName())
          .isEqualToIgnoringCase(name.replace("_", "") + "Policy");
    }
  }

  @Test
  void listsTheKnownNames_whenOneIsUnknown() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policies.create("fifoo", Map.of()))
        .withMessage(
            "scheduler (fifoo) is unknown. Known schedulers: "
                + String.join(", ", Policies.names()));
  }

  @Test
  void namesTheWeightsOfAPolicy() {
    assertThat(Policies.weightNames("fifo")).isEmpty();
    assertThat(Policies.weightNames("batch_aware"))
        .containsExactly(
            "workload", "backend", "precision", "class", "interactive", "not_interactive");
    assertThat(Policies.weightNames("dynamic"))
        .containsExactly(
            "interactive", "urgency", "overdue", "batchability", "short_service", "tokens");
  }

  @Test
  void refusesAWeight_whenItIsUnknownOrOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policies.create("fifo", Map.of("urgency", 1.0)))
        .withMessageContaining("weight (urgency) of scheduler (fifo) is unknown");
    for (double value : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Policies.create("dynamic", Map.of("urgency", value)))
          .withMessageContaining("weight urgency (" + value + ") of scheduler (dynamic)");
    }
  }
}
