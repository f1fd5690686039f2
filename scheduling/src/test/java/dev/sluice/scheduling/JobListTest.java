package dev.sluice.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.scheduling.policy.JobOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The list against a sorted {@link ArrayList}. */
final class JobListTest {
  @Property(tries = 200)
  void staysSorted_whateverComesAndGoes(@ForAll JobOrder order, @ForAll long seed) {
    CoreState state = new CoreState(Facts.alone(), Set.of());
    Random random = new Random(seed);
    JobList list = new JobList(order);
    List<QueuedJob> sorted = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      if (sorted.isEmpty() || random.nextInt(3) > 0) {
        Facts.Job job = Facts.job(i).sloMs(random.nextInt(5)).atMs(random.nextInt(5));
        QueuedJob queued = state.newJob(job.spec(1), random.nextInt() * 1000L + i, 0, 0);
        list.insert(queued);
        sorted.add(queued);
        sorted.sort(order);
      } else {
        list.remove(sorted.remove(random.nextInt(sorted.size())));
      }
      assertThat(toList(list)).isEqualTo(sorted);
      assertThat(list.size()).isEqualTo(sorted.size());
      for (int place = 0; place < sorted.size(); place++) {
        assertThat(list.at(place)).isSameAs(sorted.get(place));
      }
    }
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> list.at(sorted.size()));
  }

  private static List<QueuedJob> toList(JobList list) {
    List<QueuedJob> jobs = new ArrayList<>();
    for (QueuedJob job = list.first(); job != null; job = list.after(job)) {
      jobs.add(job);
    }
    return jobs;
  }
}
