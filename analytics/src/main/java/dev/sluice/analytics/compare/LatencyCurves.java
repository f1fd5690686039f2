package dev.sluice.analytics.compare;

import dev.sluice.analytics.compare.JobSeries.Job;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

    void add(Job job) {
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

  /**
   * Reads the runs of a setting.
   *
   * @return null if a run has no trace.csv, since it was simulated with {@code --no-trace}
   * @throws UserMistakeException if a trace.csv cannot be read
   */
  static @Nullable LatencyCurves read(List<ComparedRun> runs) throws UserMistakeException {
    for (ComparedRun run : runs) {
      if (!Files.exists(run.run().folder().resolve(FolderFiles.TRACE))
          && Files.exists(run.run().folder())) {
        return null;
      }
    }
    Map<String, Growing> byClass = new LinkedHashMap<>();
    byClass.put(ALL, new Growing());
    List<String> classes = new ArrayList<>();
    runs.get(0).summary().path("by_class_workload").fieldNames().forEachRemaining(classes::add);
    if (classes.size() > 1) {
      classes.forEach(name -> byClass.put(name, new Growing()));
    }
    for (ComparedRun run : runs) {
      for (Job job : JobSeries.read(run.run()).jobs()) {
        if (job.measured()) {
          byClass.get(ALL).add(job);
          Growing ofClass = byClass.get(job.classType());
          if (ofClass != null) {
            ofClass.add(job);
          }
        }
      }
    }
    Map<String, Curve> curves = new LinkedHashMap<>();
    byClass.forEach((name, growing) -> curves.put(name, growing.curve()));
    return new LatencyCurves(curves);
  }
}
