package dev.sluice.analytics.fold;

import dev.sluice.analytics.fold.ModelStays.ModelStay;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** A whole run as rows, from which figures, tables and pictures are made. */
public final class RunRows {
  private final RunContext context;
  private final LogFacts log;
  private final Jobs jobs;
  private final List<String> classNames;
  private final List<String> workloadNames;
  private final Map<String, Integer> classPlaces;
  private final Map<String, Integer> workloadPlaces;
  private final List<JobRow> measured = new ArrayList<>();
  private final List<BatchRow> measuredDone = new ArrayList<>();

  /**
   * What a run's log tells beside its jobs and batches.
   *
   * @param started null if the log holds no RunStarted
   * @param ended null if the run has not ended
   * @param blocked spans in which lanes stood idle beside work that waited, of all shards
   * @param stays models in the memories of lanes, by begin of their load; none where lanes hold all
   * @param lanes count over all executors that reported; the experiment's count if none did
   * @param clockOffsetNsMax largest distance of any process's clock from the broker's
   * @param unreadable counts of records that are no event, by topic
   * @param faults events that should not have happened, in words
   * @param deviceKinds kinds of device that the executors compute on or emulate, in alphabetical
   *     order
   * @param fitCpuSeconds processor time that fitting latency models beside the run took
   */
  public record LogFacts(
      @Nullable RunStarted started,
      @Nullable RunEnded ended,
      List<Blocked> blocked,
      List<ModelStay> stays,
      int lanes,
      long clockOffsetNsMax,
      Map<String, Long> unreadable,
      List<String> faults,
      List<String> deviceKinds,
      double fitCpuSeconds) {}

  RunRows(RunContext context, LogFacts log, Jobs jobs) {
    this.context = context;
    this.log = log;
    this.jobs = jobs;
    Set<String> classes = new LinkedHashSet<>();
    Set<String> workloads = new LinkedHashSet<>();
    context.experiment().jobs().classes().forEach(c -> classes.add(c.name()));
    context.experiment().jobs().workloads().forEach(w -> workloads.add(w.name()));
    var seenBatches = new BitSet(jobs.batches().named());
    for (JobRow job : jobs.all()) {
      classes.add(job.kind().classType());
      workloads.add(job.kind().workload());
      if (job.isMeasured()) {
        measured.add(job);
        if (job.isDone() && !seenBatches.get(job.doneBy().number())) {
          seenBatches.set(job.doneBy().number());
          measuredDone.add(job.doneBy());
        }
      }
    }
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

  public RunContext context() {
    return context;
  }

  public LogFacts log() {
    return log;
  }

  public Jobs jobs() {
    return jobs;
  }

  public Batches batches() {
    return jobs.batches();
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
    RunEnded ended = log.ended();
    if (ended == null || !ended.interrupted() || jobs.all().isEmpty()) {
      return endNs;
    }
    long lastNs = jobs.all().get(jobs.all().size() - 1).intendedAtNs();
    return Math.max(windowStartNs(), Math.min(endNs, lastNs));
  }

  public double windowSeconds() {
    return (windowEndNs() - windowStartNs()) / 1e9;
  }

  /** The measured jobs, by intended arrival. */
  public List<JobRow> measured() {
    return Collections.unmodifiableList(measured);
  }

  /** The batches that ended a measured job as done, each once, by intended arrival. */
  public List<BatchRow> measuredDoneBatches() {
    return Collections.unmodifiableList(measuredDone);
  }

  /** True if a job is done, and its batch ended inside the measured window. */
  public boolean isDoneInWindow(JobRow job) {
    return job.isDone()
        && windowStartNs() <= job.finishedAtNs()
        && job.finishedAtNs() < windowEndNs();
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
  public int classOf(JobRow job) {
    return classPlaces.getOrDefault(job.kind().classType(), -1);
  }

  /** Place of a job's workload in {@link #workloadNames()}. */
  public int workloadOf(JobRow job) {
    return workloadPlaces.getOrDefault(job.kind().workload(), -1);
  }

  /**
   * Promise of a class in ms; or the least and the most that it promised to a measured job. None if
   * the experiment does not name the class.
   */
  public double[] promisesMs(String name) {
    Optional<JobClass> named =
        context.experiment().jobs().classes().stream()
            .filter(jobClass -> jobClass.name().equals(name))
            .findFirst();
    Double sloMs = named.map(JobClass::sloMs).orElse(null);
    if (sloMs != null) {
      return new double[] {sloMs};
    }
    LongSummaryStatistics promised =
        measured.stream()
            .filter(job -> named.isPresent() && job.kind().classType().equals(name))
            .mapToLong(JobRow::sloNs)
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
    return context.experiment().lanes().emulated() && !context.simulated();
  }
}
