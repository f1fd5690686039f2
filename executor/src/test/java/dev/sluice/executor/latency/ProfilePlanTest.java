package dev.sluice.executor.latency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.executor.latency.ProfilePlan.Round;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measurements of a profile, and their order. */
final class ProfilePlanTest {
  private static final List<LatencyKey> KEYS = SyntheticProfile.keys(1, 2, 4);
  private static final ProfilePlan PLAN = new ProfilePlan(KEYS, 3, 5, 42);

  @Test
  void eachKeyIsMeasuredSoOftenInEachPass_besideItsBusyLanesAlone() {
    assertThat(PLAN.rows()).isEqualTo(24 * 15);
    for (int pass = 1; pass <= 3; pass++) {
      Set<List<Object>> slots = new HashSet<>();
      for (Round round : PLAN.rounds(pass)) {
        assertThat(round.pass()).isEqualTo(pass);
        for (LatencyKey key : round.keys()) {
          assertThat(key.busyLanes()).isEqualTo(round.busyLanes());
          assertThat(slots.add(List.of(key, round.repeat()))).isTrue();
        }
      }
      assertThat(slots).hasSize(24 * 5);
    }
  }

  @Test
  void theOrderIsDrawnFromTheSeed_anotherInEachRoundAndPass() {
    assertThat(new ProfilePlan(KEYS, 3, 5, 42).rounds(2)).isEqualTo(PLAN.rounds(2));
    assertThat(new ProfilePlan(KEYS, 3, 5, 43).rounds(2)).isNotEqualTo(PLAN.rounds(2));
    assertThat(order(PLAN.rounds(1))).isNotEqualTo(order(PLAN.rounds(2)));
    Set<List<LatencyKey>> orders = new HashSet<>();
    PLAN.rounds(1).forEach(round -> orders.add(round.keys()));
    assertThat(orders).hasSize(10);
  }

  private static List<List<Integer>> order(List<Round> rounds) {
    return rounds.stream().map(round -> List.of(round.repeat(), round.busyLanes())).toList();
  }

  @ParameterizedTest
  @CsvSource({"1, '1'", "2, '1 2'", "4, '1 2 3 4'", "6, '1 2 4 6'", "16, '1 2 4 8 16'"})
  void busyLanesAreAllOfFew_andPowersOfTwoOfMany(int lanes, String expected) {
    assertThat(ProfilePlan.busyLanes(lanes).stream().map(String::valueOf))
        .containsExactly(expected.split(" ", -1));
  }
}
