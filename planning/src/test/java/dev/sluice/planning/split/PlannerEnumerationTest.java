package dev.sluice.planning.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.planning.split.PlanOutcome.Found;
import dev.sluice.planning.split.PlanOutcome.Impossible;
import dev.sluice.planning.split.SearchSettings.Objective;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small random problems against {@link PlainEnumeration}; a failure prints its seed. */
final class PlannerEnumerationTest {
  private static final int CASES = 10_000;

  @ParameterizedTest
  @EnumSource(Objective.class)
  void findsTheFirstOfAllPlans(Objective objective) {
    for (long seed = 0; seed < CASES; seed++) {
      checkSeed(seed, objective);
    }
  }

  private static void checkSeed(long seed, Objective objective) {
    // half of the cases are small, which is quick, and meets more of the corners
    boolean small = seed % 2 == 0;
    PlanProblem problem =
        new RandomProblems(seed).problem(small ? 6 : 10, small ? 4 : 6, 3, (int) (seed % 3));
    int hostsMax = seed % 5 == 0 ? 2 : 6;
    var expected = new PlainEnumeration(problem, objective, hostsMax);
    PlanOutcome outcome =
        Planner.plan(
            problem,
            new SearchSettings(objective, hostsMax, SearchSettings.STATES_MAX, () -> false));
    String where = "seed %d, %s, %s".formatted(seed, objective, problem);
    if (!expected.found()) {
      assertThat(outcome).as(where).isInstanceOf(Impossible.class);
      return;
    }
    assertThat(outcome).as(where).isInstanceOf(Found.class);
    Found found = (Found) outcome;
    assertThat(found.proved()).as(where).isTrue();
    assertThat(PlanChecker.mistakes(problem, found.plan())).as(where).isEmpty();
    assertThat(found.plan().seconds(objective))
        .as(where)
        .isCloseTo(expected.bestSeconds, within(1e-11 * expected.bestSeconds));
    assertThat(found.plan().stages().stream().map(Plan.PricedStage::stage))
        .as(where)
        .containsExactlyElementsOf(expected.best);
  }
}
