package dev.sluice.scheduling.state;

import dev.sluice.scheduling.fact.CoreSettings.Microbatch;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.prediction.ModelTimes;
import dev.sluice.scheduling.prediction.ServiceTimes;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The groups of equal class, workload, backend, precision and lanes needed, and the filling of
 * their batches.
 */
public final class JobSet implements SchedulerState.CompatibleSet {
  private final Microbatch microbatch;
  private final LongSupplier nowNs;

  private final List<JobGroup> all = new ArrayList<>();

  /** Groups in which a job waits, by key, in the first places. */
  private JobGroup[] occupied = {};

  private int occupiedCount;

  private final List<JobGroup> occupiedList = new OccupiedList();

  private final Filling filling = new Filling();

  private int lanesNeeded = 1;
  private boolean anyShares;

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

  private final FirstGroup byDeadline = new FirstGroup(JobOrder.DEADLINE);
  private final FirstGroup byEntry = new FirstGroup(JobOrder.ENTRY);
  private final FirstGroup byPath = new FirstGroup(JobOrder.PATH);

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

  JobSet(Microbatch microbatch, LongSupplier nowNs) {
    this.microbatch = microbatch;
    this.nowNs = nowNs;
  }

  void add(JobGroup group) {
    all.add(group);
    lanesNeeded = group.lanesNeeded();
    occupied = Arrays.copyOf(occupied, all.size());
    anyShares |= group.shares;
  }

  void added(QueuedJob job) {
    JobGroup group = job.group;
    waiting++;
    if (group.shares) {
      samples += group.samples();
      readyAtNs = Math.min(readyAtNs, readyAtNs(job));
    } else {
      waitingAlone++;
    }
    if (group.waiting() == 1) {
      int place = placeOf(group);
      System.arraycopy(occupied, place, occupied, place + 1, occupiedCount++ - place);
      occupied[place] = group;
      leastIsStale();
    }
    byDeadline.added(group);
    byEntry.added(group);
    byPath.added(group);
  }

  void removed(QueuedJob job) {
    JobGroup group = job.group;
    waiting--;
    if (group.shares) {
      samples -= group.samples();
      readyAtIsStale |= readyAtNs(job) <= readyAtNs;
    } else {
      waitingAlone--;
    }
    if (group.waiting() == 0) {
      int place = placeOf(group);
      System.arraycopy(occupied, place + 1, occupied, place, --occupiedCount - place);
      leastIsStale();
    }
    byDeadline.removed(group);
    byEntry.removed(group);
    byPath.removed(group);
  }

  /** Returns when the job's micro-batch window ends. */
  public long readyAtNs(QueuedJob job) {
    return job.appendedAtNs + microbatch.windowNs();
  }

  /** Returns how many occupied groups come before the group. */
  private int placeOf(JobGroup group) {
    int place = 0;
    while (place < occupiedCount && occupied[place].rank < group.rank) {
      place++;
    }
    return place;
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
      for (int j = 0; j < occupiedCount; j++) {
        leastNs = Math.min(leastNs, model.leastNs(occupied[j].samples()));
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
  public List<JobGroup> groups() {
    return occupiedList;
  }

  @Override
  public int waiting() {
    return waiting;
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
    return firstGroup(order).findKey();
  }

  /** Returns the group whose first job comes first, by any order but ARRIVAL; null: none waits. */
  @Nullable JobGroup first(JobOrder order) {
    return firstGroup(order).find();
  }

  private FirstGroup firstGroup(JobOrder order) {
    return switch (order) {
      case DEADLINE -> byDeadline;
      case ENTRY -> byEntry;
      case PATH -> byPath;
      case ARRIVAL -> throw new IllegalArgumentException("sets keep no order " + order);
    };
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
      for (int i = 0; i < occupiedCount; i++) {
        JobGroup group = occupied[i];
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
    if (samples >= microbatch.maxBatch() && anyShares) {
      return 0; // the earliest time there is
    }
    if (readyAtIsStale) {
      readyAtNs = Long.MAX_VALUE;
      for (int i = 0; i < occupiedCount; i++) {
        JobGroup group = occupied[i];
        if (group.shares) { // append times never go back
          readyAtNs = Math.min(readyAtNs, readyAtNs(group.first(JobOrder.ENTRY)));
        }
      }
      readyAtIsStale = false;
    }
    return readyAtNs;
  }

  // --- batches

  @Override
  public List<SchedulerState.Job> fill(
      SchedulerState.Job first, SchedulerState.Lane lane, JobOrder order) {
    return fill((QueuedJob) first, (ExecutorLane) lane, order, null);
  }

  @Override
  public List<SchedulerState.Job> fill(
      SchedulerState.Job first, SchedulerState.Lane lane, SchedulerState.Score score) {
    return fill((QueuedJob) first, (ExecutorLane) lane, JobOrder.DEADLINE, score);
  }

  private List<SchedulerState.Job> fill(
      QueuedJob first, ExecutorLane lane, JobOrder order, SchedulerState.@Nullable Score score) {
    boolean isAlone = waitingToShare() == 1;
    if (!first.group.shares || isAlone || first.group.overBudget) {
      return List.of(first);
    }
    List<SchedulerState.Job> batch = new ArrayList<>();
    batch.add(first);
    long joined = first.group.samples();
    long freeTokens = lane.executor().freeTokens(first.group, nowNs.getAsLong());
    DeadlineGuard deadlines = deadlineGuard(first, lane);
    filling.begin();
    for (int i = 0; i < occupiedCount; i++) {
      JobGroup group = occupied[i];
      if (group.shares) {
        filling.add(group.list(order), first, lane, score);
      }
    }
    while (true) {
      QueuedJob next = filling.next(order);
      if (next == null) {
        return batch;
      }
      long joinedWith = joined + next.group.samples();
      if (joinedWith > microbatch.maxBatch()
          || next.group.tokensOf(joinedWith) > freeTokens
          || (deadlines != null && !deadlines.allows(next, joinedWith))) {
        filling.skip(); // all of its group are as large, and no sooner due
      } else {
        batch.add(next);
        if (deadlines != null) {
          deadlines.joined(next, joinedWith);
        }
        joined = joinedWith;
        filling.advance();
      }
    }
  }

  private @Nullable DeadlineGuard deadlineGuard(QueuedJob first, ExecutorLane lane) {
    ModelTimes model = modelOn(lane.executor());
    return microbatch.respectDeadlines() && model != null
        ? new DeadlineGuard(first, model, lane, nowNs.getAsLong())
        : null;
  }

  /** The group whose first job comes first in an order; remembered until it loses a job. */
  private final class FirstGroup {
    private final JobOrder order;

    /** The group; null: it must be looked up anew, or none is occupied. */
    private @Nullable JobGroup first;

    /** Value by which the group's first job is ordered; as long as the group is known. */
    private long key;

    FirstGroup(JobOrder order) {
      this.order = order;
    }

    void added(JobGroup group) {
      if (first != null && (first == group || group.isBefore(first, order))) {
        first = group;
        key = group.firstKey(order);
      }
    }

    void removed(JobGroup group) {
      if (first == group) {
        first = null;
      }
    }

    /** Returns the value by which the first of all jobs is ordered; the greatest if none waits. */
    long findKey() {
      return first == null && find() == null ? Long.MAX_VALUE : key;
    }

    @Nullable JobGroup find() {
      if (first == null) {
        JobGroup found = null;
        for (int i = 0; i < occupiedCount; i++) {
          JobGroup group = occupied[i];
          if (found == null || group.isBefore(found, order)) {
            found = group;
          }
        }
        first = found;
        key = found == null ? Long.MAX_VALUE : found.firstKey(order);
      }
      return first;
    }
  }

  /** The occupied groups as policies see them. */
  private final class OccupiedList extends AbstractList<JobGroup> implements RandomAccess {
    @Override
    public JobGroup get(int index) {
      return occupied[Objects.checkIndex(index, occupiedCount)];
    }

    @Override
    public int size() {
      return occupiedCount;
    }
  }
}
