package dev.sluice.analytics.abort;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a figure is of, and its name among theirs.
 *
 * @param classType null: jobs of all classes
 * @param workload null: jobs of all workloads
 */
record Scope(@Nullable String classType, @Nullable String workload, String figure) {
  private static final String BY_CLASS_WORKLOAD = "by_class_workload.";
  private static final String OF_ALL = "all_";
  private static final String OVERALL = "overall_";

  /** The scope that a figure's path in summary.json names. */
  static Scope of(String path, Experiment experiment) {
    if (path.startsWith(BY_CLASS_WORKLOAD)) {
      String rest = path.substring(BY_CLASS_WORKLOAD.length());
      int first = rest.indexOf('.');
      int last = rest.lastIndexOf('.'); // a workload's name may hold dots
      return new Scope(
          rest.substring(0, first), rest.substring(first + 1, last), rest.substring(last + 1));
    }
    for (JobClass one : experiment.jobs().classes()) {
      String prefix = one.name() + "_";
      if (path.startsWith(prefix) && BoundWatch.isKnown(path.substring(prefix.length()))) {
        return new Scope(one.name(), null, path.substring(prefix.length()));
      }
    }
    for (String prefix : new String[] {OF_ALL, OVERALL}) {
      if (path.startsWith(prefix)) {
        return new Scope(null, null, path.substring(prefix.length()));
      }
    }
    return new Scope(null, null, path);
  }

  boolean holds(String ofClass, String ofWorkload) {
    return (classType == null || classType.equals(ofClass))
        && (workload == null || workload.equals(ofWorkload));
  }
}
