package dev.sluice.scheduling.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Groups are found by what their jobs have in common, however many there are. */
final class WaitingJobsTest {
  @Test
  void findsEachOfManyGroups_alsoByStringsThatAreEqualAndNotTheSame() {
    var state = new CoreState(Facts.alone(), new SchedulingPolicy.Needs(Set.of(), Set.of()));
    List<JobGroup> groups = new ArrayList<>();
    for (int samples = 1; samples <= 300; samples++) {
      groups.add(state.jobs.groupOf(spec("pytorch", samples)));
    }
    assertThat(groups).doesNotHaveDuplicates();
    for (int samples = 1; samples <= 300; samples++) {
      String equal = new StringBuilder("pytorch").toString();
      assertThat(state.jobs.groupOf(spec(equal, samples))).isSameAs(groups.get(samples - 1));
      assertThat(state.jobs.groupOf(spec("onnx", samples)))
          .isNotNull()
          .isNotSameAs(groups.get(samples - 1));
    }
  }

  private static JobSpec spec(String backend, int samples) {
    JobSpec job = Facts.job(1).spec();
    return new JobSpec(
        job.id(),
        job.source(),
        job.index(),
        job.classType(),
        job.workload(),
        backend,
        job.precision(),
        samples,
        1,
        job.sloNs(),
        job.intendedAtNs(),
        null);
  }
}
