package dev.sluice.harness.twin.fold;

import dev.sluice.analytics.fold.RunContext;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A whole run as rows, from which figures, tables and pictures are made.
 *
 * @param started null if the log holds no RunStarted
 * @param ended null if the run has not ended
 * @param jobs rows by intended arrival, ties by generator, then index
 * @param dispatches rows by decision, ties by shard and id
 * @param blocked spans in which lanes stood idle beside work that waited, of all shards
 * @param lanes count over all executors that reported; the experiment's count if none did
 */
public record RunRows(
    RunContext context,
    @Nullable RunStarted started,
    @Nullable RunEnded ended,
    List<JobRow> jobs,
    List<DispatchRow> dispatches,
    List<Blocked> blocked,
    int lanes,
    Defects defects) {

  /**
   * Oddities that a clean log does not show.
   *
   * @param clockOffsetNsMax largest distance of any process's clock from the broker's
   * @param unreadable counts of records that are no event, by topic
   * @param faults events that should not have happened, in words
   */
  public record Defects(long clockOffsetNsMax, Map<String, Long> unreadable, List<String> faults) {}

  public long clockOffsetNsMax() {
    return defects.clockOffsetNsMax();
  }

  public Map<String, Long> unreadable() {
    return defects.unreadable();
  }

  public List<String> faults() {
    return defects.faults();
  }

  /** Start of the measured window. */
  public long windowStartNs() {
    return Math.round(context.experiment().load().warmupSeconds() * 1e9);
  }

  /**
   * End of the measured window; of an interrupted run the last intended arrival if that is earlier,
   * so that rates and shares are of the time in which there was load.
   */
  public long windowEndNs() {
    long endNs = Math.round(context.experiment().load().durationSeconds() * 1e9);
    if (ended == null || !ended.interrupted() || jobs.isEmpty()) {
      return endNs;
    }
    long lastNs = jobs.get(jobs.size() - 1).request().intendedAtNs();
    return Math.max(windowStartNs(), Math.min(endNs, lastNs));
  }

  /** Length of the measured window in seconds. */
  public double windowSeconds() {
    return (windowEndNs() - windowStartNs()) / 1e9;
  }

  /** The measured jobs, by intended arrival. */
  public List<JobRow> measured() {
    return jobs.stream().filter(JobRow::isMeasured).toList();
  }

  /** The dispatches that ended a measured job as done, each once, by intended arrival. */
  public List<DispatchRow> measuredDoneDispatches() {
    Map<DispatchKey, DispatchRow> rows = new LinkedHashMap<>();
    for (JobRow job : jobs) {
      if (job.isMeasured() && job.isDone()) {
        rows.putIfAbsent(job.doneDispatch().key(), job.doneDispatch());
      }
    }
    return new ArrayList<>(rows.values());
  }

  /** Class names: the experiment's in their order, then any others that jobs carry. */
  public List<String> classNames() {
    Set<String> names = new LinkedHashSet<>();
    context.experiment().jobs().classes().forEach(c -> names.add(c.name()));
    jobs.forEach(job -> names.add(job.request().classType()));
    return List.copyOf(names);
  }

  /** Workload names: the experiment's in their order, then any others that jobs carry. */
  public List<String> workloadNames() {
    Set<String> names = new LinkedHashSet<>();
    context.experiment().jobs().workloads().forEach(w -> names.add(w.name()));
    jobs.forEach(job -> names.add(job.request().workload()));
    return List.copyOf(names);
  }

  /** True if jobs of that class count as interactive; an unknown class does not. */
  public boolean isInteractive(String classType) {
    return context.experiment().jobs().classes().stream()
        .anyMatch(c -> c.name().equals(classType) && c.interactive());
  }

  /**
   * True if the lanes waited instead of computing; false for a simulation, where they did neither.
   */
  public boolean isEmulated() {
    return context.experiment().lanes().emulated() && !isSimulated();
  }

  public boolean isSimulated() {
    return context.simulated();
  }
}
