package dev.sluice.scheduling.state;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.prediction.ModelTimes;
import dev.sluice.scheduling.prediction.ServiceTimes;
import java.util.ArrayList;
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
  /** Returns the model that its jobs run. */
  public ModelKey model() {
    return all.get(0).model();
  }

  @Override
  public String workload() {
    return model().workload();
  }

  @Override
  public String backend() {
    return model().backend();
  }

  @Override
  public String precision() {
    return model().precision();
  }

  /** How many waiting jobs share one attribute. */
  static final class Count {
    private int jobs;
  }

  private final JobClass jobClass;
  private final Microbatch microbatch;
  private final LongSupplier nowNs;
  private final Count sameWorkload;
  private final Count sameBackend;
  private final Count samePrecision;
  private final Count sameClass;

  private final List<JobGroup> all = new ArrayList<>();

  private final OccupiedGroups occupied = new OccupiedGroups();

  private final Filling filling;

  private int lanesNeeded = 1;
  private boolean anyShares;

  private final String name;
  private final long promiseNs;
  private final int samplesMax;
  private final boolean mayShare;
  private final SetWalk walk = new SetWalk();

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
   * @param ofAllClasses whether its jobs may be of other classes too
   * @param counts how many waiting jobs have the workload, the backend, the precision and the class
   */
  JobSet(
      JobClass jobClass,
      JobSpec first,
      boolean ofAllClasses,
      Microbatch microbatch,
      LongSupplier nowNs,
      List<Count> counts) {
    this.jobClass = jobClass;
    this.promiseNs = first.sloNs();
    JobGroup.Key key = JobGroup.Key.of(first);
    this.name =
        String.join(
            "/",
            ofAllClasses ? "" : key.classType(),
            key.workload(),
            key.backend(),
            key.precision(),
            Integer.toString(key.lanesNeeded()));
    this.samplesMax = microbatch.maxBatch(key.workload());
    this.mayShare = microbatch.enabled() && (ofAllClasses || jobClass.microbatch());
    this.microbatch = microbatch;
    this.nowNs = nowNs;
    filling = new Filling(microbatch);
    sameWorkload = counts.get(0);
    sameBackend = counts.get(1);
    samePrecision = counts.get(2);
    sameClass = counts.get(3);
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
    sameWorkload.jobs += change;
    sameBackend.jobs += change;
    samePrecision.jobs += change;
    sameClass.jobs += change;
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
    JobGroup.Key key = all.get(0).key;
    models = new ModelTimes[executors.size()];
    for (int i = 0; i < models.length; i++) {
      ExecutorLanes executor = executors.get(i);
      if (executor.canRun(key)) {
        models[i] =
            serviceTimes.model(
                executor.report.deviceKind(), key.workload(), key.backend(), key.precision());
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

  @Override
  public long samples() {
    return samples;
  }

  @Override
  public long earliestDeadlineNs() {
    return firstKey(JobOrder.DEADLINE);
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
  public String name() {
    return name;
  }

  // --- batches

  @Override
  public SchedulerState.Walk walk(JobOrder order) {
    walk.begin(occupied, order, false);
    return walk;
  }

  @Override
  public SchedulerState.Walk walkBack(JobOrder order) {
    walk.begin(occupied, order, true);
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
    filling.begin(first, lane, order, score, nowNs.getAsLong(), most);
    for (int i = 0; i < occupied.size(); i++) {
      if (occupied.get(i).shares) {
        filling.add(occupied.get(i));
      }
    }
    return filling.fill();
  }
}
