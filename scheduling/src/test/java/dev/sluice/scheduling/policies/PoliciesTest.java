package dev.sluice.scheduling.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.scheduling.policy.Weight;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The registry of policies. */
final class PoliciesTest {
  @Test
  void knowsItsPoliciesByName() {
    assertThat(Policies.names()).isSorted().doesNotHaveDuplicates().contains("fifo", "random");
    for (String name : Policies.names()) {
      String policy = Policies.create(name, Map.of()).getClass().getSimpleName();
      assertThat(name.replace("_", "")).startsWithIgnoringCase(policy.replace("Policy", ""));
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
    assertThat(Policies.weights("fifo")).isEmpty();
    assertThat(Policies.weights("batch_aware"))
        .extracting(Weight::name)
        .containsExactly(
            "workload", "backend", "precision", "class", "interactive", "not_interactive");
    assertThat(Policies.weights("dynamic"))
        .extracting(Weight::name)
        .containsExactly(
            "interactive", "urgency", "overdue", "batchability", "short_service", "tokens");
  }

  @Test
  void refusesAWeight_whenItIsUnknownOrOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policies.create("fifo", Map.of("urgency", 1.0)))
        .withMessageContaining("weight (urgency) of scheduler (fifo) is unknown");
    for (double value : new double[] {-1, 1e10, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Policies.create("dynamic", Map.of("urgency", value)))
          .withMessageContaining("urgency (" + value + ") must be at least 0 and at most");
    }
  }

  /** A job that is nearly due would score higher than an overdue one of its group. */
  @Test
  void refusesWeightsOfDynamic_whenBeingOverdueIsWorthLessThanBeingNearlyDue() {
    assertThat(Policies.mistakeIn("dynamic", Map.of("overdue", 2.0, "urgency", 2.0))).isEmpty();
    assertThat(Policies.mistakeIn("dynamic", Map.of("urgency", 10.5)))
        .hasValueSatisfying(
            mistake -> {
              assertThat(mistake.what()).startsWith("overdue (10) must be at least urgency (10.5)");
              assertThat(mistake.maybe()).isEqualTo("urgency should be at most 10");
            });
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policies.create("dynamic", Map.of("overdue", 0.5)));
  }

  @Test
  void saysWhatMayHaveBeenMeant_byAnUnknownWeight() {
    assertThat(Policies.mistakeIn("fifo", Map.of("age", 1.0)))
        .hasValueSatisfying(
            mistake -> assertThat(mistake.maybe()).isEqualTo("another scheduler was meant"));
    assertThat(Policies.mistakeIn("dynamic", Map.of("age", 1.0)))
        .hasValueSatisfying(
            mistake -> assertThat(mistake.maybe()).startsWith("one of [interactive, urgency, "));
  }
}
