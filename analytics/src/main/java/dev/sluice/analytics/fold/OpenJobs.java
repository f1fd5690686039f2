package dev.sluice.analytics.fold;

import dev.sluice.contract.value.JobId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Open jobs by id. A job with a generator's id stands in arrays by its index, and becomes an object
 * once it is asked for: a million that only wait are numbers, which a collector need not visit.
 */
final class OpenJobs {
  private static final int PAGE_JOBS = 1024;

  private final Map<Integer, Page> pages = new HashMap<>();
  private final Map<String, OpenJob> others = new HashMap<>();
  private final Map<String, Integer> classNumbers = new HashMap<>();
  private final List<String> classes = new ArrayList<>();
  private int size;

  /** Jobs with neighbouring indexes, of which at least one is open. */
  private static final class Page {
    final BitSet open = new BitSet(PAGE_JOBS);
    final int[] classNumbers = new int[PAGE_JOBS];
    final long[] intendedAtNs = new long[PAGE_JOBS];
    final long[] sloNs = new long[PAGE_JOBS];

    /** The jobs that were asked for; none before the first was. */
    @Nullable OpenJob[] asked = {};
  }

  /** A job that has not ended by the outcomes read so far. */
  static final class OpenJob {
    final String classType;
    final long intendedAtNs;
    final long sloNs;

    /** Batch of the last dispatch that holds it; null: it waits. */
    LiveFold.@Nullable Batch batch;

    OpenJob(String classType, long intendedAtNs, long sloNs) {
      this.classType = classType;
      this.intendedAtNs = intendedAtNs;
      this.sloNs = sloNs;
    }
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Adds a job; one with its id that is open is forgotten. */
  void add(String id, String classType, long intendedAtNs, long sloNs) {
    remove(id);
    size++;
    int index = JobId.index(id);
    if (index < 0) {
      others.put(id, new OpenJob(classType, intendedAtNs, sloNs));
      return;
    }
    Page page = pages.computeIfAbsent(index / PAGE_JOBS, number -> new Page());
    int place = index % PAGE_JOBS;
    page.open.set(place);
    page.classNumbers[place] = classNumber(classType);
    page.intendedAtNs[place] = intendedAtNs;
    page.sloNs[place] = sloNs;
  }

  private int classNumber(String classType) {
    Integer known = classNumbers.putIfAbsent(classType, classes.size());
    if (known == null) {
      classes.add(classType);
      return classes.size() - 1;
    }
    return known;
  }

  /** Returns the job with an id, the same object each time; null: none is open. */
  @Nullable OpenJob get(String id) {
    int index = JobId.index(id);
    if (index < 0) {
      return others.get(id);
    }
    Page page = pages.get(index / PAGE_JOBS);
    int place = index % PAGE_JOBS;
    if (page == null || !page.open.get(place)) {
      return null;
    }
    if (page.asked.length == 0) {
      page.asked = new OpenJob[PAGE_JOBS];
    }
    OpenJob job = page.asked[place];
    if (job == null) {
      String classType = classes.get(page.classNumbers[place]);
      job = new OpenJob(classType, page.intendedAtNs[place], page.sloNs[place]);
      page.asked[place] = job;
    }
    return job;
  }

  /** Takes the job with an id out; null: none is open. */
  @Nullable OpenJob remove(String id) {
    OpenJob job = get(id);
    if (job == null) {
      return null;
    }
    size--;
    int index = JobId.index(id);
    if (index < 0) {
      others.remove(id);
      return job;
    }
    Page page = Objects.requireNonNull(pages.get(index / PAGE_JOBS));
    page.open.clear(index % PAGE_JOBS);
    page.asked[index % PAGE_JOBS] = null;
    if (page.open.isEmpty()) {
      pages.remove(index / PAGE_JOBS);
    }
    return job;
  }
}
