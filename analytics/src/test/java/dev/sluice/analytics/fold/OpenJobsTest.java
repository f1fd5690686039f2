package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class OpenJobsTest {
  private static final List<String> IDS =
      List.of("job-0", "job-1", "job-1023", "job-1024", "job-1025", "job-999999999", "job-01", "x");

  /** A change: the id, and whether its job comes or goes. */
  @Property
  void areWhatAMapOfThemIs(@ForAll @Size(max = 60) List<@IntRange(max = 15) Integer> changes) {
    var jobs = new OpenJobs();
    Map<String, OpenJob> twin = new HashMap<>();
    for (int change : changes) {
      String id = IDS.get(change / 2);
      if (change % 2 == 0) {
        var job = new OpenJob("batch", 0, 1);
        jobs.put(id, job);
        twin.put(id, job);
      } else {
        assertThat(jobs.remove(id)).isSameAs(twin.remove(id));
      }
      assertThat(jobs.size()).isEqualTo(twin.size());
      assertThat(jobs.isEmpty()).isEqualTo(twin.isEmpty());
      IDS.forEach(other -> assertThat(jobs.get(other)).isSameAs(twin.get(other)));
    }
  }
}
