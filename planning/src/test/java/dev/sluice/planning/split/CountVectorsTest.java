package dev.sluice.planning.split;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The vectors of one host of a first class and two of a second. */
final class CountVectorsTest {
  private static final List<List<Integer>> IN_ORDER =
      List.of(
          List.of(0, 0), List.of(1, 0), List.of(0, 1), List.of(1, 1), List.of(0, 2), List.of(1, 2));

  private final CountVectors vectors = new CountVectors(new int[] {1, 2});

  @Test
  void anIndexIsItsVector() {
    assertThat(vectors.size()).isEqualTo(6);
    for (int index = 0; index < 6; index++) {
      assertThat(vectors.hosts(index))
          .isEqualTo(IN_ORDER.get(index).stream().mapToInt(Integer::intValue).sum());
      assertThat(vectors.at(index))
          .containsExactly(IN_ORDER.get(index).stream().mapToInt(Integer::intValue).toArray());
    }
    assertThat(vectors.stride(0)).isEqualTo(1);
    assertThat(vectors.stride(1)).isEqualTo(2);
  }

  @Test
  void goesRound_andCountsTheHosts() {
    int[] used = new int[2];
    List<Integer> more = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      more.add(vectors.next(used));
    }
    assertThat(more).containsExactly(1, 0, 1, 0, 1, -3);
    assertThat(used).containsExactly(0, 0);
  }
}
