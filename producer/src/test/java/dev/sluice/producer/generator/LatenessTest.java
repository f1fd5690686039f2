package dev.sluice.producer.generator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.producer.generator.JobGenerator.Lateness;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;

/** Lateness is exact: nearest rank over every job. */
final class LatenessTest {

  @Test
  void isZero_whenNothingWasSent() {
    var lateness = new Lateness(0);
    assertThat(lateness.p99Ns()).isZero();
    assertThat(lateness.maxNs()).isZero();
  }

  @Test
  void takesThe99thOf100AndThe100thOf101() {
    assertThat(descendingTo(100).p99Ns()).isEqualTo(99);
    assertThat(descendingTo(100).maxNs()).isEqualTo(100);
    assertThat(descendingTo(101).p99Ns()).isEqualTo(100);
    assertThat(descendingTo(1).p99Ns()).isEqualTo(1);
  }

  @Property
  void hasThe99thPercentileThatItsDefinitionNames(
      @ForAll @NotEmpty List<@LongRange(min = 0, max = 50) Long> latenessNs) {
    var lateness = new Lateness(latenessNs.size());
    latenessNs.forEach(lateness::add);
    long p99Ns = lateness.p99Ns();
    assertThat(latenessNs).contains(p99Ns);
    long atMost = latenessNs.stream().filter(ns -> ns <= p99Ns).count();
    long below = latenessNs.stream().filter(ns -> ns < p99Ns).count();
    assertThat(100 * atMost).isGreaterThanOrEqualTo(99L * latenessNs.size());
    assertThat(100 * below).isLessThan(99L * latenessNs.size());
    assertThat(lateness.maxNs()).isEqualTo(Collections.max(latenessNs));
  }

  private static Lateness descendingTo(int count) {
    var lateness = new Lateness(count);
    for (int i = count; i > 0; i--) {
      lateness.add(i);
    }
    return lateness;
  }
}
