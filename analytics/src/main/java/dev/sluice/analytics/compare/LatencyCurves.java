package dev.sluice.analytics.compare;

import dev.sluice.analytics.statistic.LongBag;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Latencies of one setting's measured jobs, of all its runs together, by class. */
final class LatencyCurves {
  static final String ALL = "all";

  private final Map<String, Curve> byClass = new LinkedHashMap<>();

  /** Latencies of some jobs. */
  static final class Curve {
    /** Latencies of the done ones. */
    final LongBag doneNs = new LongBag();

    /** Number of jobs, done or not. */
    int count;

    private void add(ComparedJob job) {
      count++;
      if (job.isDone()) {
        doneNs.add(Math.round(job.endToEndMs() * 1e6));
      }
    }
  }

  /**
   * Without jobs.
   *
   * @param classes names of the classes, each of which has a curve if there are several
   */
  LatencyCurves(List<String> classes) {
    byClass.put(ALL, new Curve());
    if (classes.size() > 1) {
      classes.forEach(name -> byClass.put(name, new Curve()));
    }
  }

  /** Adds the jobs of a run. */
  void add(List<ComparedJob> jobs) {
    for (ComparedJob job : jobs) {
      if (job.measured()) {
        of(ALL).add(job);
        if (byClass.containsKey(job.classType())) {
          of(job.classType()).add(job);
        }
      }
    }
  }

  /** By the class's name; {@value #ALL} stands for all classes. */
  Map<String, Curve> byClass() {
    return byClass;
  }

  /** The latencies of a class; of one that is not known, none. */
  Curve of(String name) {
    return byClass.getOrDefault(name, new Curve());
  }
}
