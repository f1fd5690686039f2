package dev.sluice.contract.value;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JobIdTest {
  @Test
  void holdsTheIndex() {
    for (int index : new int[] {0, 7, 10, 1_048_576, 999_999_999}) {
      assertThat(JobId.index(JobId.of(index))).isEqualTo(index);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "job-",
        "job",
        "job-07",
        "job-00",
        "job--1",
        "job-1x",
        "Job-1",
        "job-1 ",
        "jab-1",
        "job-1000000000",
        "job-:",
        "job-/",
        "my-job-1"
      })
  void isNoneInAnyOtherText(String id) {
    assertThat(JobId.index(id)).isEqualTo(-1);
  }
}
