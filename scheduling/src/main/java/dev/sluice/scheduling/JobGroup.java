package dev.sluice.scheduling;

import static java.util.Objects.requireNonNull;

import dev.sluice.scheduling.CoreSettings.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The waiting jobs of one key, in the orders that are read, and what is common to them. */
final class JobGroup implements SchedulerState.Group {
  /** What the jobs of a group have in common. */
  record Key(
      String classType,
      String workload,
      String backend,
      String precision,
      int samples,
      int lanesNeeded) {
    static final Comparator<Key> ORDER =
        Comparator.comparing(Key::classType)
            .thenComparing(Key::workload)
            .thenComparing(Key::backend)
            .thenComparing(Key::precision)
            .thenComparingInt(Key::samples)
            .thenComparingInt(Key::lanesNeeded);

    static Key of(JobSpec job) {
      return new Key(
          job.classType(),
          job.workload(),
          job.backend(),
          job.precision(),
          job.samples(),
          job.lanesNeeded());
    }
  }

  /** How many waiting jobs share one attribute. */
  static final class Count {
    int jobs;
  }

  final Key key;
  final JobClass jobClass;
  final JobSet set;
  final int baseTokens;
  final long tokens;

  /** Whether its jobs may share a batch. */
  final boolean shares;

  private final Count sameWorkload;
  private final Count sameBackend;
  private final Count samePrecision;
  private final Count sameClass;
  private final Map<JobOrder, JobList> lists = new EnumMap<>(JobOrder.class);
  private int waiting;

  /** Its place among all groups by key. */
  int rank;

  /** By executor order: the service times of its model there; null if it cannot run it. */
  private final List<ServiceTimes.@Nullable Model> models = new ArrayList<>();

  JobGroup(
      Key key,
      JobClass jobClass,
      JobSet set,
      int baseTokens,
      boolean shares,
      Set<JobOrder> orders,
      List<Count> counts) {
    this.key = key;
    this.jobClass = jobClass;
    this.set = set;
    this.baseTokens = baseTokens;
    this.tokens = tokensOf(key.samples());
    this.shares = shares;
    this.sameWorkload = counts.get(0);
    this.sameBackend = counts.get(1);
    this.samePrecision = counts.get(2);
    this.sameClass = counts.get(3);
    for (JobOrder order : orders) {
      if (order != JobOrder.ARRIVAL) {
        lists.put(order, new JobList(order));
      }
    }
  }

  void add(QueuedJob job) {
    for (JobList list : lists.values()) {
      list.insert(job);
    }
    count(1);
  }

  void remove(QueuedJob job) {
    for (JobList list : lists.values()) {
      list.remove(job);
    }
    count(-1);
  }

  private void count(int change) {
    waiting += change;
    sameWorkload.jobs += change;
    sameBackend.jobs += change;
    samePrecision.jobs += change;
    sameClass.jobs += change;
    set.count(this, change);
  }

  JobList list(JobOrder order) {
    JobList list = lists.get(order);
    if (list == null) {
      throw new IllegalStateException(
          "the policy reads order " + order + " but did not declare it");
    }
    return list;
  }

  /** Tokens of a batch of so many joined samples. */
  long tokensOf(long samples) {
    return TokenCost.of(baseTokens, key.precision(), samples);
  }

  /** Whether its jobs may start now, as far as its micro-batch window is concerned. */
  boolean ripe(long nowNs) {
    return !shares || set.readyAtNs() <= nowNs;
  }

  /** Whether a batch of both is one inference of the same model. */
  boolean hasModelOf(JobGroup that) {
    return key.workload().equals(that.key.workload())
        && key.backend().equals(that.key.backend())
        && key.precision().equals(that.key.precision());
  }

  ServiceTimes.@Nullable Model modelOn(ExecutorLanes executor) {
    return models.get(executor.order);
  }

  /** Looks up its model on each executor anew, by executor order. */
  void findModels(List<ExecutorLanes> executors, ServiceTimes serviceTimes) {
    models.clear();
    for (ExecutorLanes executor : executors) {
      models.add(
          executor.canRun(key)
              ? serviceTimes.model(
                  executor.report.deviceKind(), key.workload(), key.backend(), key.precision())
              : null);
    }
  }

  @Override
  public JobClass jobClass() {
    return jobClass;
  }

  @Override
  public String workload() {
    return key.workload();
  }

  @Override
  public String backend() {
    return key.backend();
  }

  @Override
  public String precision() {
    return key.precision();
  }

  @Override
  public int samples() {
    return key.samples();
  }

  @Override
  public int lanesNeeded() {
    return key.lanesNeeded();
  }

  @Override
  public long tokens() {
    return tokens;
  }

  @Override
  public int waiting() {
    return waiting;
  }

  @Override
  public QueuedJob first(JobOrder order) {
    return requireNonNull(list(order).first(), "the group is empty");
  }

  @Override
  public QueuedJob jobAt(int place, JobOrder order) {
    return list(order).at(place);
  }

  @Override
  public JobSet set() {
    return set;
  }

  @Override
  public int waitingWithWorkload() {
    return sameWorkload.jobs;
  }

  @Override
  public int waitingWithBackend() {
    return sameBackend.jobs;
  }

  @Override
  public int waitingWithPrecision() {
    return samePrecision.jobs;
  }

  @Override
  public int waitingWithClass() {
    return sameClass.jobs;
  }
}
