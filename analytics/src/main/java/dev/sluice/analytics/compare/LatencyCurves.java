package dev.sluice.analytics.compare;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Latencies of one setting's measured jobs, of all its runs together, by class.
 *
 * @param byClass by the class's name; {@code all} stands for all classes
 */
record LatencyCurves(Map<String, Curve> byClass) {
  static final String ALL = "all";

  /**
   * Latencies of some jobs.
   *
   * @param doneMs latencies of the done ones, in milliseconds, ascending
   * @param count number of jobs, done or not
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and a million boxes otherwise
  record Curve(double[] doneMs, int count) {}

  private static final class Growing {
    private double[] doneMs = new double[1024];
    private int done;
    private int count;

    void add(ComparedJob job) {
      count++;
      if (job.isDone()) {
        if (done == doneMs.length) {
          doneMs = Arrays.copyOf(doneMs, 2 * done);
        }
        doneMs[done++] = job.endToEndMs();
      }
    }

    Curve curve() {
      double[] sorted = Arrays.copyOf(doneMs, done);
      Arrays.sort(sorted);
      return new Curve(sorted, count);
    }
  }

  /** Collects the latencies of a setting's runs, run by run. */
  static final class Builder {
    private final Growing all = new Growing();
    private final Map<String, Growing> byClass = new LinkedHashMap<>();

    /**
     * @param classes names of the classes, each of which has a curve if there are several
     */
    Builder(List<String> classes) {
      byClass.put(ALL, all);
      if (classes.size() > 1) {
        classes.forEach(name -> byClass.put(name, new Growing()));
      }
    }

    void add(List<ComparedJob> jobs) {
      for (ComparedJob job : jobs) {
        if (job.measured()) {
          all.add(job);
          Growing ofClass = byClass.get(job.classType());
          if (ofClass != null) {
            ofClass.add(job);
          }
        }
      }
    }

    LatencyCurves build() {
      Map<String, Curve> curves = new LinkedHashMap<>();
      byClass.forEach((name, growing) -> curves.put(name, growing.curve()));
      return new LatencyCurves(curves);
    }
  }
}
