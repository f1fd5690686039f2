package dev.sluice.planning.split;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Costs of stages of a model made by hand. */
final class StageCostsTest {
  @Test
  void timesAreExact_behindALayerThatTakesVeryLong() {
    var type = new DeviceType("t", List.of("a"), 8, 100, List.of(1e16, 1.0, 1.0));
    var problem =
        new PlanProblem(List.of(1.0, 1.0, 1.0), List.of(0L, 0L, 0L, 0L), 0, 0, List.of(type));

    StageCosts costs = new StageCosts(problem, 1);

    assertThat(costs.seconds(0, 1, 3)).isEqualTo(2);
    assertThat(costs.seconds(0, 2, 3)).isEqualTo(1);
    assertThat(costs.seconds(0, 0, 1)).isEqualTo(1e16);
  }
}
