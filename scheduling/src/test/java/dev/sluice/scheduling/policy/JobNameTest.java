package dev.sluice.scheduling.policy;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

final class JobNameTest {
  @Property
  void keepsANumberAlone(@ForAll @LongRange(min = 0) long number) {
    JobName name = JobName.of("job-" + number);
    assertThat(name).isEqualTo(new JobName(null, number));
    assertThat(name.isNumbered()).isTrue();
    assertThat(name.text()).isEqualTo("job-" + number);
  }

  @Property
  void isTheTextThatItWasMadeOf(@ForAll String text) {
    assertThat(JobName.of(text).text()).isEqualTo(text);
    assertThat(JobName.of("job-" + text).text()).isEqualTo("job-" + text);
  }

  @Example
  void keepsEachOtherFormAsText() {
    for (String text :
        new String[] {
          "job-",
          "job-017",
          "job-00",
          "job--1",
          "job-1x",
          "job-٣",
          "jab-17",
          "17",
          "x",
          "",
          "job-9223372036854775808",
          "job-9999999999999999999",
          "job-10000000000000000000"
        }) {
      assertThat(JobName.of(text)).as(text).isEqualTo(new JobName(text, -1));
    }
    assertThat(JobName.of("job-9223372036854775807").number()).isEqualTo(Long.MAX_VALUE);
    assertThat(JobName.of("job-0").number()).isZero();
  }
}
