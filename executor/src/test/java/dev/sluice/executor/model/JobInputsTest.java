package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Inputs are a function of the seed and the job alone. */
final class JobInputsTest {
  @Property(tries = 100)
  void areTheSameForTheSameSeedAndJob(
      @ForAll long seed, @ForAll String jobId, @ForAll @IntRange(min = 1, max = 8) int samples) {
    JobInput input = JobInput.make(seed, jobId, samples, 12);

    assertThat(input.values()).hasSize(samples * 12);
    assertThat(JobInput.make(seed, jobId, samples, 12).values()).isEqualTo(input.values());
  }

  @Test
  void differByJobAndBySeed() {
    float[] values = JobInput.make(42, "g0-1", 1, 100).values();

    assertThat(JobInput.make(42, "g0-2", 1, 100).values()).isNotEqualTo(values);
    assertThat(JobInput.make(43, "g0-1", 1, 100).values()).isNotEqualTo(values);
  }

  @Test
  void areTheSameOnEveryMachine() {
    assertThat(JobInput.make(42, "g0-0", 1, 3).values())
        .containsExactly(-0.18109396f, 0.07053094f, 1.3921375f);
  }

  @Test
  void haveMeanZeroAndVarianceOne() {
    double sum = 0;
    double squares = 0;
    float[] values = JobInput.make(42, "g0-0", 2, 150_528).values();
    for (float value : values) {
      sum += value;
      squares += value * value;
    }

    assertThat(sum / values.length).isCloseTo(0, within(0.01));
    assertThat(squares / values.length).isCloseTo(1, within(0.01));
  }

  @Test
  void refuseValuesThatDoNotDivideIntoSamples() {
    assertThatThrownBy(() -> new JobInput("g0-0", 2, new float[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("values (3) do not divide into samples (2)");
  }
}
