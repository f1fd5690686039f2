package dev.sluice.analytics.fold;

import dev.sluice.analytics.fold.ModelStays.ModelStay;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A whole run as rows, from which figures, tables and pictures are made. Rows are numbers, and
 * {@link Jobs} and {@link Batches} say what they hold.
 */
public final class RunRows {
  private final RunContext context;
  private final @Nullable RunStarted started;
  private final @Nullable RunEnded ended;
  private final Jobs jobs;
  private final List<Blocked> blocked;
  private final List<ModelStay> stays;
  private final int lanes;
  private final Defects defects;
  private final List<String> classNames;
  private final List<String> workloadNames;
  private final Map<String, Integer> classPlaces;
  private final Map<String, Integer> workloadPlaces;
  private final int[] measured;
  private final int[] measuredDone;

  /**
   * @param started null if the log holds no RunStarted
   * @param ended null if the run has not ended
   * @param blocked spans in which lanes stood idle beside work that waited, of all shards
   * @param stays models in the memories of lanes
   * @param lanes count over all executors that reported; the experiment's count if none did
   */
  RunRows(
      RunContext context,
      @Nullable RunStarted started,
      @Nullable RunEnded ended,
      Jobs jobs,
      List<Blocked> blocked,
      List<ModelStay> stays,
      int lanes,
      Defects defects) {
    this.context = context;
    this.started = started;
    this.ended = ended;
    this.jobs = jobs;
    this.blocked = blocked;
    this.stays = stays;
    this.lanes = lanes;
    this.defects = defects;
    Set<String> classes = new LinkedHashSet<>();
    Set<String> workloads = new LinkedHashSet<>();
    context.experiment().jobs().classes().forEach(c -> classes.add(c.name()));
    context.experiment().jobs().workloads().forEach(w -> workloads.add(w.name()));
    IntStream.Builder measuredJobs = IntStream.builder();
    IntStream.Builder done = IntStream.builder();
    var seenBatches = new BitSet(jobs.batches().named());
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      classes.add(jobs.kind(job).classType());
      workloads.add(jobs.kind(job).workload());
      if (jobs.isMeasured(job)) {
        measuredJobs.add(job);
        if (jobs.isDone(job) && !seenBatches.get(jobs.batch(job))) {
          seenBatches.set(jobs.batch(job));
          done.add(jobs.batch(job));
        }
      }
    }
    measured = measuredJobs.build().toArray();
    measuredDone = done.build().toArray();
    classNames = List.copyOf(classes);
    workloadNames = List.copyOf(workloads);
    classPlaces = places(classNames);
    workloadPlaces = places(workloadNames);
  }

  private static Map<String, Integer> places(List<String> names) {
    Map<String, Integer> places = new HashMap<>();
    names.forEach(name -> places.put(name, places.size()));
    return places;
  }

  /**
   * Oddities that a clean log does not show.
   *
   * @param clockOffsetNsMax largest distance of any process's clock from the broker's
   * @param unreadable counts of records that are no event, by topic
   * @param faults events that should not have happened, in words
   */
  public record Defects(long clockOffsetNsMax, Map<String, Long> unreadable, List<String> faults) {}

  public RunContext context() {
    return context;
  }

  public @Nullable RunStarted started() {
    return started;
  }

  public @Nullable RunEnded ended() {
    return ended;
  }

  public Jobs jobs() {
    return jobs;
  }

  public Batches batches() {
    return jobs.batches();
  }

  /** Models in the memories of lanes, by begin of their load; none where lanes hold all. */
  public List<ModelStay> stays() {
    return stays;
  }

  public List<Blocked> blocked() {
    return blocked;
  }

  /** Count over all executors that reported; the experiment's count if none did. */
  public int lanes() {
    return lanes;
  }

  public long clockOffsetNsMax() {
    return defects.clockOffsetNsMax();
  }

  public Map<String, Long> unreadable() {
    return defects.unreadable();
  }

  public List<String> faults() {
    return defects.faults();
  }

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
    long lastNs = jobs.intendedAtNs(jobs.at(jobs.size() - 1));
    return Math.max(windowStartNs(), Math.min(endNs, lastNs));
  }

  public double windowSeconds() {
    return (windowEndNs() - windowStartNs()) / 1e9;
  }

  /** The measured jobs, by intended arrival; not to be changed. */
  public int[] measured() {
    return measured;
  }

  /**
   * The batches that ended a measured job as done, each once, by intended arrival; not to be
   * changed.
   */
  public int[] measuredDoneBatches() {
    return measuredDone;
  }

  /** Class names: the experiment's in their order, then any others that jobs carry. */
  public List<String> classNames() {
    return classNames;
  }

  /** Workload names: the experiment's in their order, then any others that jobs carry. */
  public List<String> workloadNames() {
    return workloadNames;
  }

  /** Place of a job's class in {@link #classNames()}. */
  public int classOf(int job) {
    return classPlaces.getOrDefault(jobs.kind(job).classType(), -1);
  }

  /** Place of a job's workload in {@link #workloadNames()}. */
  public int workloadOf(int job) {
    return workloadPlaces.getOrDefault(jobs.kind(job).workload(), -1);
  }

  /** Promises of a class by its name, in ms: none if the experiment does not name it. */
  public double[] promisesMs(String name) {
    return context.experiment().jobs().classes().stream()
        .filter(jobClass -> jobClass.name().equals(name))
        .findFirst()
        .map(jobClass -> promisesMs(jobClass))
        .orElseGet(() -> new double[0]);
  }

  /** The class's promise in ms; or the least and the most that it promised to a measured job. */
  public double[] promisesMs(JobClass jobClass) {
    Double sloMs = jobClass.sloMs();
    if (sloMs != null) {
      return new double[] {sloMs};
    }
    LongSummaryStatistics promised =
        IntStream.of(measured)
            .filter(job -> jobs.kind(job).classType().equals(jobClass.name()))
            .mapToLong(jobs::sloNs)
            .summaryStatistics();
    return promised.getCount() == 0
        ? new double[0]
        : DoubleStream.of(promised.getMin() / 1e6, promised.getMax() / 1e6).distinct().toArray();
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
