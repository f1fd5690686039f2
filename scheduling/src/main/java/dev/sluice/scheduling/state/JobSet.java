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
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The groups of equal class, workload, backend, precision and lanes needed, and the filling of
 * their batches.
 */
public final class JobSet implements SchedulerState.CompatibleSet {
  /** Number of waiting jobs that share one attribute. */
  static final class Count {
    private int jobs;
  }

  private final JobClass jobClass;
  private final Microbatch microbatch;
  private final LongSupplier nowNs;

  /** Numbers of waiting jobs that share an attribute, by attribute. */
  private final Count[] counts;

  private final List<JobGroup> all = new ArrayList<>();

  private final OccupiedGroups occupied = new OccupiedGroups();

  private int lanesNeeded = 1;
  private boolean anyShares;

  private final String name;
  private final ModelKey model;
  private final long promiseNs;
  private final int samplesMax;
  private final boolean mayShare;
  private final SetWalk walk = new SetWalk();
  private final SetWalk filling = new SetWalk();

  /** Rate of arrivals; null: the policy reads none. */
  @Nullable ArrivalRate rate;

  /** Service times of the set's model, by executor order; null if the executor cannot run it. */
  private @Nullable ModelTimes[] models = {};

  /** Place of the set among all sets by key. */
  int rank;

  /**
   * Tokens that open executors have for the set, as the search with the number below found them.
   */
  long openTokens;

  long openFinds;

  private int waiting;

  /** Number of waiting jobs that share no batch and so wait for no window. */
  private int waitingAlone;

  private long samples;

  private boolean readyAtIsStale;
  private long readyAtNs = Long.MAX_VALUE;

  // of one waiting job
  private boolean tokensAreStale = true;
  private long tokensMin;
  private long neededMin;
  private long neededMinAlone;
  private long neededMax;
  private boolean predictionIsStale = true;
  private long predictedNsMin;
  private long predictedVersions;
  private ModelTimes[] distinctModels = {};

  /**
   * @param first first job that came to it
   * @param mayShare whether some of its jobs may share a batch
   * @param counts numbers of waiting jobs that share an attribute, by attribute
   */
  JobSet(
      String name,
      JobClass jobClass,
      JobSpec first,
      Microbatch microbatch,
      boolean mayShare,
      LongSupplier nowNs,
      Count[] counts) {
    this.name = name;
    this.jobClass = jobClass;
    this.promiseNs = first.sloNs();
    this.samplesMax = microbatch.maxBatch(first.workload());
    this.mayShare = mayShare;
    this.microbatch = microbatch;
    this.nowNs = nowNs;
    this.counts = counts;
    this.model = new ModelKey(first.workload(), first.backend(), first.precision());
  }

  void add(JobGroup group) {
    all.add(group);
    lanesNeeded = group.lanesNeeded();
    occupied.room(all.size());
    anyShares |= group.shares;
  }

  void added(QueuedJob job) {
    JobGroup group = job.group;
    count(1);
    if (group.shares) {
      samples += group.samples();
      readyAtNs = Math.min(readyAtNs, readyAtNs(job));
    } else {
      waitingAlone++;
    }
    occupied.added(group);
    if (group.waiting() == 1) {
      leastIsStale();
    }
  }

  void removed(QueuedJob job) {
    JobGroup group = job.group;
    count(-1);
    if (group.shares) {
      samples -= group.samples();
      readyAtIsStale |= readyAtNs(job) <= readyAtNs;
    } else {
      waitingAlone--;
    }
    occupied.removed(group);
    if (group.waiting() == 0) {
      leastIsStale();
    }
  }

  private void count(int change) {
    waiting += change;
    for (Count count : counts) {
      count.jobs += change;
    }
  }

  /** Returns when the job's micro-batch window ends. */
  public long readyAtNs(QueuedJob job) {
    return job.appendedAtNs + microbatch.windowNs();
  }

  private void leastIsStale() {
    tokensAreStale = true;
    predictionIsStale = true;
  }

  // --- what runs its jobs

  int lanesNeeded() {
    return lanesNeeded;
  }

  @Nullable ModelTimes modelOn(ExecutorLanes executor) {
    return models[executor.order];
  }

  /** Looks up the set's model on each executor anew, by executor order. */
  void findModels(List<ExecutorLanes> executors, ServiceTimes serviceTimes) {
    models = new ModelTimes[executors.size()];
    for (int i = 0; i < models.length; i++) {
      ExecutorLanes executor = executors.get(i);
      if (executor.canRun(model())) {
        models[i] = serviceTimes.model(executor.report.deviceKind(), model());
      }
    }
    distinctModels =
        Stream.of(models).filter(Objects::nonNull).distinct().toArray(ModelTimes[]::new);
    leastIsStale();
  }

  @Override
  public long predictedNsMin() {
    long versions = 0;
    for (ModelTimes model : distinctModels) {
      versions += model.version();
    }
    if (predictionIsStale || predictedVersions != versions) {
      predictedNsMin = findPredictedNsMin();
      predictedVersions = versions;
      predictionIsStale = false;
    }
    return predictedNsMin;
  }

  private long findPredictedNsMin() {
    long leastNs = Long.MAX_VALUE;
    for (ModelTimes model : distinctModels) {
      for (int j = 0; j < occupied.size(); j++) {
        leastNs = Math.min(leastNs, model.leastNs(occupied.get(j).samples()));
      }
    }
    return leastNs;
  }

  /** Returns how many waiting jobs of the set may share a batch. */
  public int waitingToShare() {
    return waiting - waitingAlone;
  }

  /**
   * Returns from when on some waiting job of the set need not wait for a window: {@link
   * Long#MIN_VALUE} if one shares no batch; {@link Long#MAX_VALUE} if none waits.
   */
  long ripeAtNs() {
    if (waitingAlone > 0) {
      return Long.MIN_VALUE;
    }
    return waiting > 0 ? readyAtNs() : Long.MAX_VALUE;
  }

  /** Returns whether some waiting job of the set need not wait for a window. */
  boolean hasRipe(long nowNs) {
    return ripeAtNs() <= nowNs;
  }

  /** Returns whether some waiting job of the set waits for its window. */
  boolean hasUnripe(long nowNs) {
    return waiting > waitingAlone && readyAtNs() > nowNs;
  }

  // --- what waits

  @Override
  public JobClass jobClass() {
    return jobClass;
  }

  @Override
  public List<JobGroup> groups() {
    return occupied;
  }

  @Override
  public int waiting() {
    return waiting;
  }

  @Override
  public int waitingWith(SchedulerState.Attribute attribute) {
    Count count =
        switch (attribute) {
          case WORKLOAD -> counts[0];
          case BACKEND -> counts[1];
          case PRECISION -> counts[2];
          case CLASS -> counts[3];
        };
    return count.jobs;
  }

  @Override
  public long samples() {
    return samples;
  }

  @Override
  public long firstKey(JobOrder order) {
    return occupied.first(order).key();
  }

  /** Returns the group whose first job comes first, by any order but ARRIVAL; null: none waits. */
  @Nullable JobGroup first(JobOrder order) {
    return occupied.first(order).group();
  }

  @Override
  public long tokensMin() {
    findTokens();
    return tokensMin;
  }

  /** Returns the smallest number of tokens that a waiting job of the set needs. */
  long neededMin() {
    findTokens();
    return neededMin;
  }

  /** Returns the largest number of tokens that a waiting job of the set needs. */
  long neededMax() {
    findTokens();
    return neededMax;
  }

  /**
   * Returns the smallest number of tokens that a waiting job of the set needs, among jobs whose
   * window has ended.
   */
  long neededMinRipe(long atNs) {
    findTokens();
    return neededMin == neededMinAlone || readyAtNs() <= atNs ? neededMin : neededMinAlone;
  }

  private void findTokens() {
    if (tokensAreStale) {
      tokensMin = Long.MAX_VALUE;
      neededMin = Long.MAX_VALUE;
      neededMinAlone = Long.MAX_VALUE;
      neededMax = Long.MIN_VALUE;
      for (int i = 0; i < occupied.size(); i++) {
        JobGroup group = occupied.get(i);
        tokensMin = Math.min(tokensMin, group.tokens);
        neededMin = Math.min(neededMin, group.tokensNeeded);
        neededMinAlone =
            group.shares ? neededMinAlone : Math.min(neededMinAlone, group.tokensNeeded);
        neededMax = Math.max(neededMax, group.tokensNeeded);
      }
      tokensAreStale = false;
    }
  }

  @Override
  public long readyAtNs() {
    if (samples >= samplesMax && anyShares) {
      return 0; // the earliest time there is
    }
    if (readyAtIsStale) {
      readyAtNs = Long.MAX_VALUE;
      for (int i = 0; i < occupied.size(); i++) {
        JobGroup group = occupied.get(i);
        if (group.shares) { // append times never go back
          readyAtNs = Math.min(readyAtNs, readyAtNs(group.first(JobOrder.ENTRY)));
        }
      }
      readyAtIsStale = false;
    }
    return readyAtNs;
  }

  @Override
  public int samplesMax() {
    return mayShare ? samplesMax : 1;
  }

  @Override
  public List<Integer> preferredSamples() {
    return microbatch.preferred(all.get(0).workload());
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
    return walk(order, false);
  }

  @Override
  public SchedulerState.Walk walkBack(JobOrder order) {
    return walk(order, true);
  }

  private SchedulerState.Walk walk(JobOrder order, boolean fromTheEnd) {
    walk.begin(order, fromTheEnd);
    for (int i = 0; i < occupied.size(); i++) {
      walk.add(occupied.get(i));
    }
    return walk;
  }

  @Override
  public List<SchedulerState.Job> fill(
      SchedulerState.Job first, SchedulerState.Lane lane, JobOrder order) {
    return fill((QueuedJob) first, (ExecutorLane) lane, order, null, samplesMax);
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
    if (!first.group.shares || waitingToShare() == 1 || first.group.overBudget) {
      return List.of(first);
    }
    long atNs = nowNs.getAsLong();
    filling.begin(order, false);
    filling.skipped = first;
    filling.score = score;
    filling.lane = lane;
    for (int i = 0; i < occupied.size(); i++) {
      if (occupied.get(i).shares) {
        filling.add(occupied.get(i));
      }
    }
    List<SchedulerState.Job> batch = new ArrayList<>();
    batch.add(first);
    long joined = first.group.samples();
    long freeTokens = lane.executor().freeTokens(first.group, atNs);
    ModelTimes model = first.group.modelOn(lane.executor());
    Deadlines deadlines =
        microbatch.respectDeadlines() && model != null
            ? new Deadlines(first, model, lane, atNs)
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

  /**
   * A walk over the jobs of several groups, the best one first. Used again for each walk of a set,
   * so that a walk makes no object for each group.
   */
  private static final class SetWalk implements SchedulerState.Walk {
    private Head[] heads = {};
    private int count;
    private JobOrder order = JobOrder.ENTRY;
    private boolean back;

    /** Group of the job that came last, whose next job is not looked up yet; null: none. */
    private @Nullable Head last;

    /** Job that is left out; null: none. */
    private @Nullable QueuedJob skipped;

    /** Score on the lane, which comes before the order; null: none. */
    private SchedulerState.@Nullable Score score;

    private @Nullable ExecutorLane lane;

    /** The next job of a group. */
    private final class Head {
      final JobList.Walk walk = new JobList.Walk();
      double scored;
      long key;

      /** Next job; null: no job of the group is left, or none is wanted. */
      @Nullable QueuedJob job;

      void advance() {
        QueuedJob next = back ? walk.previous() : walk.next();
        job = next != null && next == skipped ? walk.next() : next;
        if (job != null) {
          key = walk.key();
          scored = score == null || lane == null ? 0 : score.of(job, lane);
        }
      }

      /** Returns whether it comes before another head; both have a job. */
      boolean isBefore(Head that) {
        if (scored != that.scored) {
          return scored > that.scored;
        }
        return key != that.key
            ? key < that.key
            : order.compare(requireNonNull(job), requireNonNull(that.job)) < 0;
      }
    }

    /** Begins another walk, of no groups yet. */
    void begin(JobOrder inOrder, boolean fromTheEnd) {
      order = inOrder;
      back = fromTheEnd;
      count = 0;
      last = null;
    }

    void add(JobGroup group) {
      if (count == heads.length) {
        heads = Arrays.copyOf(heads, count + 1);
        heads[count] = new Head();
      }
      Head head = heads[count++];
      if (back) {
        head.walk.end(group.list(order));
      } else {
        head.walk.begin(group.list(order));
      }
      head.advance();
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
      this.busyLanes = lane.executor().busyLanesWith(lane, first.group.lanesNeeded());
      this.startNs = lane.held().isEmpty() ? nowNs : Math.max(nowNs, lane.expectedFreeAtNs());
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
