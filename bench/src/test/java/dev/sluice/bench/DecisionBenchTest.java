package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The load under which decisions are timed: no job of it is lost, whatever the policy does. */
final class DecisionBenchTest {
  static List<String> policies() {
    return DecisionBench.policies();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void eachJobEndsOnce(String policy) {
    List<String> lines = DecisionBench.measured(policy, 1, 1).lines().toList();

    assertThat(lines).hasSize(2);
    assertThat(Double.parseDouble(lines.get(0))).isPositive();
    assertThat(lines.get(1)).contains("start ").contains("nothing ");
  }

  @Test
  void hasARowForEachPolicyThatJoinsJobsByItself() {
    assertThat(new DecisionBench(text -> {}).rows())
        .extracting(Bench.Row::name)
        .contains("decision_shepherd_us", "decision_eager_edf_us")
        .doesNotContain("decision_fifo_us");
  }
}
