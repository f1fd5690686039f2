package dev.sluice.analytics.fold;

import dev.sluice.contract.value.JobId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Open jobs by id. A job with a generator's id stands in an array by its index, so that a million
 * of them keep no text and no entry of a map.
 */
final class OpenJobs {
  private static final int PAGE_JOBS = 1024;

  private final Map<Integer, Page> pages = new HashMap<>();
  private final Map<String, OpenJob> others = new HashMap<>();
  private int size;

  /** Jobs with neighbouring indexes, of which at least one is open. */
  private static final class Page {
    final @Nullable OpenJob[] jobs = new OpenJob[PAGE_JOBS];
    int open;

    /** Puts a job, or none, in a place, and returns what was there. */
    @Nullable OpenJob put(int index, @Nullable OpenJob job) {
      OpenJob before = jobs[index % PAGE_JOBS];
      jobs[index % PAGE_JOBS] = job;
      open += (job == null ? 0 : 1) - (before == null ? 0 : 1);
      return before;
    }
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void put(String id, OpenJob job) {
    int index = JobId.index(id);
    OpenJob before = index < 0 ? others.put(id, job) : page(index).put(index, job);
    size += before == null ? 1 : 0;
  }

  private Page page(int index) {
    return pages.computeIfAbsent(index / PAGE_JOBS, number -> new Page());
  }

  @Nullable OpenJob get(String id) {
    int index = JobId.index(id);
    if (index < 0) {
      return others.get(id);
    }
    Page page = pages.get(index / PAGE_JOBS);
    return page == null ? null : page.jobs[index % PAGE_JOBS];
  }

  @Nullable OpenJob remove(String id) {
    int index = JobId.index(id);
    OpenJob job = index < 0 ? others.remove(id) : remove(index);
    size -= job == null ? 0 : 1;
    return job;
  }

  private @Nullable OpenJob remove(int index) {
    Page page = pages.get(index / PAGE_JOBS);
    if (page == null) {
      return null;
    }
    OpenJob job = page.put(index, null);
    if (page.open == 0) {
      pages.remove(index / PAGE_JOBS);
    }
    return job;
  }
}
