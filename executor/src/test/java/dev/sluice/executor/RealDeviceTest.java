package dev.sluice.executor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The top classes of a job. */
final class RealDeviceTest {
  @Test
  void topClassesAreOfTheJobsOwnRows_theLikeliestFirst() {
    float[][] logits = {
      {9, 0, 0, 0, 0, 0, 0},
      {0, 1, 2, 3, 4, 5, 6},
      {0, 9, 0, 0, 0, 0, 0},
      {9, 0, 0, 0, 0, 0, 0}
    };
    assertThat(RealDevice.topClasses(logits, 1, 3)).containsExactly(1, 6, 5, 4, 3);
  }

  @Test
  void atEqualLogits_theLowerClassComesFirst() {
    assertThat(RealDevice.topClasses(new float[][] {{1, 2, 1, 2}}, 0, 1))
        .containsExactly(1, 3, 0, 2);
  }
}
