package dev.sluice.scheduling.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulingPolicy;
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
    CoreState state = new CoreState(Facts.alone(), new SchedulingPolicy.Needs(Set.of(), Set.of()));
    Random random = new Random(seed);
    JobList list = new JobList(order);
    List<QueuedJob> sorted = new ArrayList<>();
    int spread = 1 + random.nextInt(1000);
    for (int i = 0; i < 1000; i++) {
      boolean growing = i % 600 < 400;
      if (sorted.isEmpty() || (random.nextInt(5) > 0) == growing) {
        int atMs = random.nextBoolean() ? i : random.nextInt(spread);
        Facts.Job job = Facts.job(i).sloMs(random.nextInt(spread)).atMs(atMs);
        QueuedJob queued = state.newJob(job.spec(), atMs * 1000L + i, 0, 0);
        list.insert(queued);
        sorted.add(queued);
        sorted.sort(order);
      } else {
        boolean first = random.nextBoolean();
        list.remove(sorted.remove(first ? 0 : random.nextInt(sorted.size())));
      }
      assertThat(list.size()).isEqualTo(sorted.size());
      assertThat(list.first()).isSameAs(sorted.isEmpty() ? null : sorted.get(0));
      if (!sorted.isEmpty()) {
        int place = random.nextInt(sorted.size());
        assertThat(list.at(place)).isSameAs(sorted.get(place));
      }
      if (i % 50 == 0) {
        assertThat(toList(list)).isEqualTo(sorted);
      }
    }
    assertThat(toList(list)).isEqualTo(sorted);
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> list.at(sorted.size()));
  }

  private static List<QueuedJob> toList(JobList list) {
    List<QueuedJob> jobs = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      jobs.add(list.at(i));
    }
    return jobs;
  }
}
