package dev.sluice.scheduling.state;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.prediction.ModelTimes;
import dev.sluice.scheduling.state.PassedOverGroups.PassedOver;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The waiting jobs of one key, in the orders that are read, and what is common to them. */
public final class JobGroup implements SchedulerState.Group {
  private static final long TOKENS_PER_SAMPLE = 4;

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

    /** Returns whether the key is that of the job. */
    boolean isOf(JobSpec job) {
      return samples == job.samples()
          && lanesNeeded == job.lanesNeeded()
          && classType.equals(job.classType())
          && workload.equals(job.workload())
          && backend.equals(job.backend())
          && precision.equals(job.precision());
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
  final int baseTokens;
  public final long tokens;

  /** Whether the jobs may share a batch. */
  public final boolean shares;

  private final @Nullable JobList byDeadline;
  private final @Nullable JobList byEntry;
  private final @Nullable JobList byPath;
  private int waiting;

  /** Place of the group among all groups by key. */
  int rank;

  /** Whether executors have joined, and one job of the group exceeds the budget of each. */
  public boolean overBudget;

  /**
   * Tokens that must be free for one of its jobs; {@link Long#MIN_VALUE}: its jobs run outside the
   * budget.
   */
  long tokensNeeded;

  /** Place of the group among all groups by tokens. */
  int tokenPlace;

  /**
   * Records of how each executor passes over the group, by executor order; shorter than the list of
   * executors where no later one does.
   */
  @Nullable PassedOver[] passedOver = {};

  /** Number of executors on which the group is passed over. */
  int passedOverCount;

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
    byDeadline = orders.contains(JobOrder.DEADLINE) ? new JobList(JobOrder.DEADLINE) : null;
    byEntry = orders.contains(JobOrder.ENTRY) ? new JobList(JobOrder.ENTRY) : null;
    byPath = orders.contains(JobOrder.PATH) ? new JobList(JobOrder.PATH) : null;
  }

  @Override
  public ModelKey model() {
    return set.model();
  }

  void add(QueuedJob job) {
    if (byDeadline != null) {
      byDeadline.insert(job);
    }
    if (byEntry != null) {
      byEntry.insert(job);
    }
    if (byPath != null) {
      byPath.insert(job);
    }
    waiting++;
    set.added(job);
  }

  void remove(QueuedJob job) {
    if (byDeadline != null) {
      byDeadline.remove(job);
    }
    if (byEntry != null) {
      byEntry.remove(job);
    }
    if (byPath != null) {
      byPath.remove(job);
    }
    waiting--;
    set.removed(job);
  }

  public JobList list(JobOrder order) {
    JobList list =
        switch (order) {
          case DEADLINE -> byDeadline;
          case ENTRY -> byEntry;
          case PATH -> byPath;
          case ARRIVAL -> null;
        };
    if (list == null) {
      throw new IllegalStateException(
          "the policy reads order " + order + " but did not declare it");
    }
    return list;
  }

  /** Returns the tokens of a batch with that many joined samples. */
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

  /** Returns whether the first job comes before the other group's, in an order. */
  boolean isBefore(JobGroup that, JobOrder order) {
    long key = firstKey(order);
    long thatKey = that.firstKey(order);
    return key != thatKey ? key < thatKey : order.compare(first(order), that.first(order)) < 0;
  }

  /** Returns some waiting job; equal answers while equal jobs wait. */
  QueuedJob anyJob() {
    if (byDeadline != null) {
      return first(JobOrder.DEADLINE);
    }
    return first(byEntry == null ? JobOrder.PATH : JobOrder.ENTRY);
  }

  /** Returns the record of how the executor passes over this group. */
  PassedOver passedOverOn(ExecutorLanes executor) {
    if (executor.order >= passedOver.length) {
      passedOver = Arrays.copyOf(passedOver, executor.order + 1);
    }
    PassedOver passed = passedOver[executor.order];
    if (passed == null) {
      passed = new PassedOver(executor, this);
      passedOver[executor.order] = passed;
    }
    return passed;
  }

  public @Nullable ModelTimes modelOn(ExecutorLanes executor) {
    return set.modelOn(executor);
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
    return waiting;
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
