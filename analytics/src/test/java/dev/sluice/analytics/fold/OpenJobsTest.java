package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

final class OpenJobsTest {
  private static final List<String> IDS =
      List.of("job-0", "job-1", "job-1023", "job-1024", "job-1025", "job-999999999", "job-01", "x");

  /** What the twin knows of a job. */
  private record Twin(String classType, long intendedAtNs, long sloNs) {}

  /** A change: the id, and whether its job comes, is asked for or goes. */
  @Property
  void areWhatAMapOfThemIs(@ForAll @Size(max = 60) List<@IntRange(max = 23) Integer> changes) {
    var jobs = new OpenJobs();
    Map<String, Twin> twin = new HashMap<>();
    Map<String, OpenJobs.OpenJob> asked = new HashMap<>();
    for (int step = 0; step < changes.size(); step++) {
      String id = IDS.get(changes.get(step) / 3);
      int change = changes.get(step) % 3;
      if (change == 0) {
        var job = new Twin(step % 2 == 0 ? "batch" : "interactive", step, 1000L + step);
        jobs.add(id, job.classType, job.intendedAtNs, job.sloNs);
        twin.put(id, job);
        asked.remove(id);
      } else if (change == 1) {
        asked.computeIfAbsent(id, jobs::get);
      } else {
        assertThat(twinOf(jobs.remove(id))).isEqualTo(twin.remove(id));
        asked.remove(id);
      }
      assertThat(jobs.size()).isEqualTo(twin.size());
      assertThat(jobs.isEmpty()).isEqualTo(twin.isEmpty());
    }
    IDS.forEach(id -> assertThat(twinOf(jobs.get(id))).isEqualTo(twin.get(id)));
    asked.forEach((id, job) -> assertThat(jobs.get(id)).isSameAs(job));
  }

  private static @Nullable Twin twinOf(OpenJobs.@Nullable OpenJob job) {
    return job == null ? null : new Twin(job.classType, job.intendedAtNs, job.sloNs);
  }
}
