package dev.sluice.scheduling.state;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.state.Reservations.PassedOver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The waiting jobs of one key, in the orders that are read, and what is common to them. */
public final class JobGroup implements SchedulerState.Group {
  static final Comparator<JobGroup> BY_RANK = Comparator.comparingInt(group -> group.rank);

  private static final long TOKENS_PER_SAMPLE = 4;

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
            .thenComparingInt(Key::lanesNeeded) // before samples: a set's groups stand together
            .thenComparingInt(Key::samples);

    /** Order by which groups of one model stand together, whatever their classes. */
    static final Comparator<Key> ORDER_BY_MODEL =
        Comparator.comparing(Key::workload)
            .thenComparing(Key::backend)
            .thenComparing(Key::precision)
            .thenComparingInt(Key::lanesNeeded)
            .thenComparing(Key::classType)
            .thenComparingInt(Key::samples);

    /** Compares by hand, as {@link #hashCode} does, since each job looks its group up. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key that
          && classType.equals(that.classType)
          && workload.equals(that.workload)
          && backend.equals(that.backend)
          && precision.equals(that.precision)
          && samples == that.samples
          && lanesNeeded == that.lanesNeeded;
    }

    @Override
    public int hashCode() {
      int model = 31 * (31 * workload.hashCode() + backend.hashCode()) + precision.hashCode();
      return 31 * (31 * (31 * model + classType.hashCode()) + samples) + lanesNeeded;
    }

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

  public final Key key;
  public final JobClass jobClass;
  public final JobSet set;
  private final int baseTokens;
  public final long tokens;

  public final boolean shares;

  private final Map<JobOrder, JobList> byOrder = new EnumMap<>(JobOrder.class);
  private final List<JobList> lists;

  /** Place of the group among all groups by key. */
  int rank;

  /** Whether executors have joined, and one job of the group exceeds the budget of each. */
  public boolean overBudget;

  final List<PassedOver> passedOver = new ArrayList<>();

  JobGroup(
      Key key,
      JobClass jobClass,
      JobSet set,
      int baseTokens,
      boolean shares,
      Set<JobOrder> orders) {
    this.key = key;
    this.jobClass = jobClass;
    this.set = set;
    this.baseTokens = baseTokens;
    this.tokens = tokens(baseTokens, key.precision(), key.samples());
    this.shares = shares;
    orders.forEach(order -> byOrder.put(order, new JobList(order)));
    lists = List.copyOf(byOrder.values());
  }

  void add(QueuedJob job) {
    for (int i = 0; i < lists.size(); i++) {
      lists.get(i).insert(job);
    }
  }

  void remove(QueuedJob job) {
    for (int i = 0; i < lists.size(); i++) {
      lists.get(i).remove(job);
    }
  }

  public JobList list(JobOrder order) {
    JobList list = byOrder.get(order);
    if (list == null) {
      throw new IllegalStateException(
          "the policy reads order " + order + " but did not declare it");
    }
    return list;
  }

  /** Returns its list in some order; equal lists while equal jobs wait. */
  public JobList anyList() {
    return lists.get(0);
  }

  long tokensOf(long samples) {
    return samples == key.samples() ? tokens : tokens(baseTokens, key.precision(), samples);
  }

  /** Returns base cost + 4 × joined samples; at half precision × 0.7, rounded up. */
  private static long tokens(int baseTokens, String precision, long samples) {
    long tokens = baseTokens + TOKENS_PER_SAMPLE * samples;
    boolean half = precision.equals("fp16") || precision.equals("bf16");
    return half ? (7 * tokens + 9) / 10 : tokens;
  }

  /** Returns whether the jobs may start now, as far as the micro-batch window is concerned. */
  public boolean ripe(long nowNs) {
    return !shares || set.readyAtNs() <= nowNs;
  }

  boolean isBefore(JobGroup that, JobOrder order) {
    return order.compare(first(order), that.first(order)) < 0;
  }

  @Override
  public ModelKey model() {
    return set.model();
  }

  @Override
  public JobClass jobClass() {
    return jobClass;
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
    return lists.get(0).size();
  }

  @Override
  public QueuedJob first(JobOrder order) {
    return requireNonNull(list(order).first(), "the group is empty");
  }

  @Override
  public long firstKey(JobOrder order) {
    return list(order).firstKey();
  }

  @Override
  public QueuedJob jobAt(int place, JobOrder order) {
    return list(order).at(place);
  }

  @Override
  public JobSet set() {
    return set;
  }
}
