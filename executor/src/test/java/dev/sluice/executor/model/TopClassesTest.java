package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.FloatRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Top classes against a sort of all classes. */
final class TopClassesTest {
  @Property(tries = 300)
  void areTheFirstOfAllClassesSorted(
      @ForAll @Size(max = 20) List<@FloatRange(min = -2, max = 2) Float> logits,
      @ForAll @IntRange(max = 6) int k) {
    var array = new float[logits.size()];
    IntStream.range(0, array.length).forEach(c -> array[c] = Math.round(logits.get(c)));

    List<Integer> sorted =
        IntStream.range(0, array.length)
            .boxed()
            .sorted(Comparator.comparing((Integer c) -> -array[c]).thenComparing(c -> c))
            .limit(k)
            .toList();
    assertThat(TopClasses.of(array, k)).isEqualTo(sorted);
  }

  @Test
  void ofAJobAreTheLikeliestOfEachOfItsSamples_upToALimit() {
    float[][] logits = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}, {9, 0, 0}};

    assertThat(TopClasses.ofJob(logits, 1, 3, 8)).containsExactly(1, 2, 0);
    assertThat(TopClasses.ofJob(logits, 1, 3, 2)).containsExactly(1, 2);
  }
}
