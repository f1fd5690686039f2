package dev.sluice.scheduling.state;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.prediction.ModelTimes;
import dev.sluice.scheduling.prediction.ServiceTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The groups of equal class, model and lanes needed, and the filling of their batches. */
public final class JobSet implements SchedulerState.CompatibleSet {
  static final Comparator<JobSet> BY_RANK = Comparator.comparingInt(set -> set.rank);

  private final String name;
  private final JobClass jobClass;
  private final ModelKey model;
  final int lanesNeeded;
  private final long promiseNs;
  private final int samplesMax;
  private final boolean mayShare;
  private final Microbatch microbatch;
  private final LongSupplier nowNs;

  /** Numbers of waiting jobs that share an attribute, each in an array of its own. */
  private final int[][] counts;

  private final List<JobGroup> occupied = new ArrayList<>();

  private final List<JobGroup> groups = Collections.unmodifiableList(occupied);
  private final SetWalk walk = new SetWalk();
  private final SetWalk filling = new SetWalk();

  /** Rate of arrivals; null: the policy reads none. */
  @Nullable ArrivalRate rate;

  /** Service times of the set's model, by executor order; null if the executor cannot run it. */
  private @Nullable ModelTimes[] models = {};

  private ModelTimes[] distinctModels = {};

  /** Place of the set among all sets by key. */
  int rank;

  private int waiting;

  /** Number of waiting jobs that may share a batch. */
  private int toShare;

  /** Number of samples of the waiting jobs that may share a batch. */
  private long samples;

  /** End of the oldest window; {@link Long#MAX_VALUE}: no job waits that may share a batch. */
  private long windowEndNs = Long.MAX_VALUE;

  /**
   * @param mayShare whether some of its jobs may share a batch
   */
  JobSet(
      String name,
      JobClass jobClass,
      JobSpec first,
      Microbatch microbatch,
      boolean mayShare,
      LongSupplier nowNs,
      int[][] counts) {
    this.name = name;
    this.jobClass = jobClass;
    this.lanesNeeded = first.lanesNeeded();
    this.promiseNs = first.sloNs();
    this.samplesMax = microbatch.maxBatch(first.workload());
    this.mayShare = mayShare;
    this.microbatch = microbatch;
    this.nowNs = nowNs;
    this.counts = counts;
    this.model = new ModelKey(first.workload(), first.backend(), first.precision());
  }

  void added(QueuedJob job) {
    JobGroup group = job.group;
    count(1);
    if (group.waiting() == 1) {
      occupied.add(-1 - Collections.binarySearch(occupied, group, JobGroup.BY_RANK), group);
    }
    if (group.shares) {
      toShare++;
      samples += group.samples();
      windowEndNs = Math.min(windowEndNs, windowEndNs(job));
    }
  }

  void removed(QueuedJob job) {
    JobGroup group = job.group;
    count(-1);
    if (group.waiting() == 0) {
      occupied.remove(group);
    }
    if (group.shares) {
      toShare--;
      samples -= group.samples();
      if (windowEndNs(job) <= windowEndNs) {
        findWindowEnd();
      }
    }
  }

  private void count(int change) {
    waiting += change;
    for (int[] count : counts) {
      count[0] += change;
    }
  }

  private void findWindowEnd() {
    windowEndNs = Long.MAX_VALUE;
    for (int i = 0; i < occupied.size(); i++) {
      JobGroup group = occupied.get(i);
      if (group.shares) { // append times never go back
        windowEndNs = Math.min(windowEndNs, windowEndNs(group.first(JobOrder.ENTRY)));
      }
    }
  }

  private long windowEndNs(QueuedJob job) {
    return job.appendedAtNs + microbatch.windowNs();
  }

  // --- what runs its jobs

  public @Nullable ModelTimes modelOn(ExecutorLanes executor) {
    return models[executor.order];
  }

  /** Looks up the set's model on each executor anew, by executor order. */
  void findModels(List<ExecutorLanes> executors, ServiceTimes serviceTimes) {
    models = new ModelTimes[executors.size()];
    for (int i = 0; i < models.length; i++) {
      ExecutorLanes executor = executors.get(i);
      if (executor.capability(model) != null) {
        models[i] = serviceTimes.model(executor.report.deviceKind(), model);
      }
    }
    distinctModels =
        Stream.of(models).filter(Objects::nonNull).distinct().toArray(ModelTimes[]::new);
  }

  @Override
  public long predictedNsMin() {
    long leastNs = Long.MAX_VALUE;
    for (ModelTimes times : distinctModels) {
      for (int i = 0; i < occupied.size(); i++) {
        leastNs = Math.min(leastNs, times.leastNs(occupied.get(i).samples()));
      }
    }
    return leastNs;
  }

  /** Returns how many waiting jobs of the set may share a batch. */
  public int waitingToShare() {
    return toShare;
  }

  /** Returns whether some waiting job of the set need not wait for a window. */
  boolean hasRipe(long atNs) {
    return waiting > 0 && (readyAtNs() <= atNs || toShare < waiting);
  }

  /** Returns whether some waiting job of the set waits for its window. */
  boolean hasUnripe(long atNs) {
    return samples > 0 && readyAtNs() > atNs;
  }

  // --- what waits

  @Override
  public JobClass jobClass() {
    return jobClass;
  }

  @Override
  public List<JobGroup> groups() {
    return groups;
  }

  @Override
  public int waiting() {
    return waiting;
  }

  @Override
  public int waitingWith(SchedulerState.Attribute attribute) {
    int[] count =
        switch (attribute) {
          case WORKLOAD -> counts[0];
          case BACKEND -> counts[1];
          case PRECISION -> counts[2];
          case CLASS -> counts[3];
        };
    return count[0];
  }

  @Override
  public long samples() {
    return samples;
  }

  @Override
  public long firstKey(JobOrder order) {
    long firstKey = Long.MAX_VALUE;
    for (int i = 0; i < occupied.size(); i++) {
      firstKey = Math.min(firstKey, occupied.get(i).firstKey(order));
    }
    return firstKey;
  }

  @Override
  public long tokensMin() {
    long tokensMin = Long.MAX_VALUE;
    for (int i = 0; i < occupied.size(); i++) {
      tokensMin = Math.min(tokensMin, occupied.get(i).tokens);
    }
    return tokensMin;
  }

  @Override
  public long readyAtNs() {
    return samples >= samplesMax ? 0 : windowEndNs; // the earliest time there is
  }

  @Override
  public int samplesMax() {
    return mayShare ? samplesMax : 1;
  }

  @Override
  public List<Integer> preferredSamples() {
    return microbatch.preferred(model.workload());
  }

  @Override
  public double arrivalsPerSecond() {
    if (rate == null) {
      throw new IllegalStateException("the policy reads rates but did not declare them");
    }
    return rate.perSecond(nowNs.getAsLong());
  }

  @Override
  public long promiseNs() {
    return promiseNs;
  }

  @Override
  public ModelKey model() {
    return model;
  }

  @Override
  public String name() {
    return name;
  }

  // --- batches

  @Override
  public SchedulerState.Walk walk(JobOrder order) {
    return walk.begin(order, false, false);
  }

  @Override
  public SchedulerState.Walk walkBack(JobOrder order) {
    return walk.begin(order, true, false);
  }

  @Override
  public List<SchedulerState.Job> fill(
      SchedulerState.Job first, SchedulerState.Lane lane, SchedulerState.Score score) {
    return fill((QueuedJob) first, (ExecutorLane) lane, JobOrder.DEADLINE, score, samplesMax);
  }

  @Override
  public List<SchedulerState.Job> fill(
      SchedulerState.Job first, SchedulerState.Lane lane, JobOrder order, int most) {
    return fill((QueuedJob) first, (ExecutorLane) lane, order, null, Math.min(most, samplesMax));
  }

  private List<SchedulerState.Job> fill(
      QueuedJob first,
      ExecutorLane lane,
      JobOrder order,
      SchedulerState.@Nullable Score score,
      int most) {
    if (!first.group.shares || toShare == 1 || first.group.overBudget) {
      return List.of(first);
    }
    long atNs = nowNs.getAsLong();
    filling.skipped = first;
    filling.score = score;
    filling.lane = lane;
    filling.begin(order, false, true);
    List<SchedulerState.Job> batch = new ArrayList<>();
    batch.add(first);
    long joined = first.group.samples();
    long freeTokens = lane.executor.freeTokens(first.group, atNs);
    ModelTimes times = modelOn(lane.executor);
    Deadlines deadlines =
        microbatch.respectDeadlines() && times != null
            ? new Deadlines(first, times, lane, atNs)
            : null;
    for (QueuedJob next = filling.next(); next != null; next = filling.next()) {
      long joinedWith = joined + next.group.samples();
      if (joinedWith > most
          || next.group.tokensOf(joinedWith) > freeTokens
          || (deadlines != null && !deadlines.allow(next, joinedWith))) {
        filling.leaveGroup(); // all of its jobs are as large, and no sooner due
      } else {
        batch.add(next);
        if (deadlines != null) {
          deadlines.joined(next, joinedWith);
        }
        joined = joinedWith;
      }
    }
    return batch;
  }

  /** A walk over several groups' jobs, the best first, used again: no object for each group. */
  private final class SetWalk implements SchedulerState.Walk {
    private Head[] heads = {};
    private int count;
    private JobOrder order = JobOrder.ENTRY;
    private boolean back;

    /** Group of the job that came last, whose next job is not looked up yet; null: none. */
    private @Nullable Head last;

    private @Nullable QueuedJob skipped;

    /** Score on the lane, which comes before the order; null: none. */
    private SchedulerState.@Nullable Score score;

    private @Nullable ExecutorLane lane;

    private final class Head {
      private @Nullable JobList list;
      private int place;
      private double scored;
      private long key;

      /** Next job; null: no job of the group is left, or none is wanted. */
      private @Nullable QueuedJob job;

      void begin(JobList of) {
        list = of;
        place = back ? of.size() : -1;
        advance();
      }

      void advance() {
        QueuedJob next = following();
        job = next != null && next == skipped ? following() : next;
        if (job != null) {
          key = order.key(job);
          scored = score == null || lane == null ? 0 : score.of(job, lane);
        }
      }

      private @Nullable QueuedJob following() {
        JobList of = requireNonNull(list, "the walk has not begun");
        place += back ? -1 : 1;
        return place < 0 || place >= of.size() ? null : of.at(place);
      }

      boolean isBefore(Head that) {
        if (scored != that.scored) {
          return scored > that.scored;
        }
        return key != that.key
            ? key < that.key
            : order.compare(requireNonNull(job), requireNonNull(that.job)) < 0;
      }
    }

    /** Begins another walk, over the jobs alone that may share a batch or over all. */
    SetWalk begin(JobOrder inOrder, boolean fromTheEnd, boolean sharing) {
      order = inOrder;
      back = fromTheEnd;
      count = 0;
      last = null;
      for (int i = 0; i < occupied.size(); i++) {
        if (!sharing || occupied.get(i).shares) {
          if (count == heads.length) {
            heads = Arrays.copyOf(heads, count + 1);
            heads[count] = new Head();
          }
          heads[count++].begin(occupied.get(i).list(order));
        }
      }
      return this;
    }

    @Override
    public @Nullable QueuedJob next() {
      if (last != null) {
        last.advance();
      }
      Head best = null;
      for (int i = 0; i < count; i++) {
        Head head = heads[i];
        if (head.job != null && (best == null || head.isBefore(best) != back)) {
          best = head;
        }
      }
      last = best;
      return best == null ? null : best.job;
    }

    /** Leaves out what is left of the group of the job that came last. */
    void leaveGroup() {
      if (last != null) {
        last.job = null;
        last = null;
      }
    }
  }

  /**
   * Keeps a batch from growing if that would make a member miss a deadline that it would meet in
   * the batch as it is, or alone, by the upper bound of the service time. Members that would miss
   * their deadline anyway do not limit the batch.
   */
  private static final class Deadlines {
    private final ModelTimes model;
    private final int busyLanes;
    private final long startNs;

    /** The earliest deadline of the members that would meet theirs. */
    private long earliestMetNs;

    /**
     * @param lane where the batch starts, after what it holds already
     */
    Deadlines(QueuedJob first, ModelTimes model, ExecutorLane lane, long nowNs) {
      this.model = model;
      this.busyLanes = lane.executor.busyLanesWith(lane, first.group.lanesNeeded());
      this.startNs = lane.held.isEmpty() ? nowNs : Math.max(nowNs, lane.expectedFreeAtNs());
      this.earliestMetNs = Long.MAX_VALUE;
      joined(first, first.group.samples());
    }

    /** Returns whether the job may join the members, given their samples together with it. */
    boolean allow(QueuedJob next, long samples) {
      long endNs = endNs(samples);
      boolean nextWouldMiss =
          endNs > next.deadlineNs && endNs(next.group.samples()) <= next.deadlineNs;
      return endNs <= earliestMetNs && !nextWouldMiss;
    }

    /** Makes the job a member; the samples are those of all members together. */
    void joined(QueuedJob job, long samples) {
      if (endNs(samples) <= job.deadlineNs) {
        earliestMetNs = Math.min(earliestMetNs, job.deadlineNs);
      }
    }

    private long endNs(long samples) {
      return startNs + model.boundNs(Math.toIntExact(samples), busyLanes);
    }
  }
}
