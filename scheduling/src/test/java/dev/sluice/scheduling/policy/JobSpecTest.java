package dev.sluice.scheduling.policy;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.jspecify.annotations.Nullable;

final class JobSpecTest {
  @Property
  void ofAGeneratorKeepsNoTextForItsName(@ForAll @LongRange(min = 0) long index) {
    JobSpec job = named("job-" + index, index);
    assertThat(job.hasNumberedId()).isTrue();
    assertThat(job.id()).isEqualTo("job-" + index);
    assertThat(job).isEqualTo(named(null, index));
  }

  @Property
  void ofAnotherIndexKeepsItsName(@ForAll @LongRange(min = 0) long index, @ForAll long other) {
    JobSpec job = named("job-" + index, other);
    assertThat(job.hasNumberedId()).isEqualTo(index == other);
    assertThat(job.id()).isEqualTo("job-" + index);
  }

  @Example
  void keepsEachOtherName() {
    for (String name :
        new String[] {"job-", "job-017", "job-117", "job-7", "jab-17", "17", "x", ""}) {
      JobSpec job = named(name, 17);
      assertThat(job.hasNumberedId()).as(name).isFalse();
      assertThat(job.id()).isEqualTo(name);
    }
    assertThat(named("job-", 0).hasNumberedId()).isFalse();
    assertThat(named("job--1", -1).hasNumberedId()).isFalse();
  }

  private static JobSpec named(@Nullable String id, long index) {
    return new JobSpec(id, 0, index, "batch", "resnet18", "onnx", "fp32", 1, 1, 1000, 0);
  }
}
