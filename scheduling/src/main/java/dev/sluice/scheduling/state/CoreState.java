package dev.sluice.scheduling.state;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.SplitMix64;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.prediction.ModelTimes;
import dev.sluice.scheduling.prediction.ServiceTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The state of a core as its parts and the policies see it: the waiting jobs, the executors, and
 * the time. One class for both, so that the policies' view costs nothing to make.
 */
public final class CoreState implements SchedulerState {
  public final CoreSettings settings;
  public final ServiceTimes serviceTimes;

  private final ExecutorTable executors = new ExecutorTable();
  private final WaitingJobs jobs;
  private final Placement placement;

  /** Groups that are passed over; null: the policy wants no reservations. */
  private final @Nullable PassedOverGroups passedOverGroups;

  /** List that {@link #setsOfGangs} returns, used again for each choice. */
  private final List<JobSet> ofGangs = new ArrayList<>();

  private final OpenExecutors openExecutors = new OpenExecutors();

  /** Whether the open executors were looked up for an earlier choice. */
  private boolean openIsStale;

  /** What the policy remembers. */
  public final Memory memory = new Memory();

  /** Number of snapshots that were taken of the core. */
  public int snapshots;

  private long nowNs;
  private long factId;
  private int dispatchIndex;

  public CoreState(CoreSettings settings, SchedulingPolicy.Needs needs) {
    this.settings = needs.has(Need.JOINING) ? settings.withoutWindow() : settings;
    this.serviceTimes = new ServiceTimes(settings.predictor());
    this.passedOverGroups = needs.has(Need.RESERVATIONS) ? new PassedOverGroups() : null;
    this.jobs =
        new WaitingJobs(
            this.settings, needs, executors, serviceTimes, passedOverGroups, this::nowNs);
    this.placement = new Placement(this.settings, executors);
  }

  public void advanceTo(long toNs) {
    nowNs = Math.max(nowNs, toNs);
  }

  /** Names the dispatch that the next choice is about. */
  public void deciding(long fact, int index) {
    factId = fact;
    dispatchIndex = index;
    openIsStale = true;
    executors.idleIsStale = true;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public long draw() {
    return SplitMix64.mix(SplitMix64.mix(settings.seed(), factId) + dispatchIndex);
  }

  /**
   * Finds the group of a job; null: the settings lack its class or workload, or no core can place
   * it at all.
   */
  public @Nullable JobGroup groupOf(JobSpec job) {
    return jobs.groupOf(job);
  }

  /** Makes a job that the core knew before. */
  public QueuedJob newJob(JobSpec spec, long entry, long appendedAtNs, int attempts) {
    JobGroup group = groupOf(spec);
    if (group == null) {
      throw new IllegalArgumentException(spec + " has an unknown class or workload");
    }
    return new QueuedJob(spec, group, entry, appendedAtNs, attempts);
  }

  public void add(QueuedJob job) {
    jobs.add(job);
  }

  public void remove(QueuedJob job) {
    jobs.remove(job);
  }

  /** Returns the waiting jobs of all groups that match, by entry. Walks over all of their jobs. */
  public List<QueuedJob> waitingIn(Predicate<JobGroup> matches) {
    return jobs.waitingIn(matches);
  }

  /** Returns all waiting jobs, in no order that means anything. Looks at none of them. */
  public QueuedJob[] allWaiting() {
    return jobs.all();
  }

  @Override
  public int waiting() {
    return jobs.waiting;
  }

  @Override
  public List<JobGroup> groups() {
    return jobs.groups();
  }

  @Override
  public @Nullable QueuedJob oldest() {
    return jobs.oldest();
  }

  @Override
  public List<JobSet> sets() {
    return jobs.waitingSets();
  }

  @Override
  public List<JobSet> allSets() {
    return jobs.allSets();
  }

  @Override
  public double remembered(String name, double otherwise) {
    return memory.get(name, otherwise);
  }

  @Override
  public Map<String, Double> rememberedWithPrefix(String prefix) {
    return memory.withPrefix(prefix);
  }

  /** Counts the arrival of a job, if the policy reads rates. */
  public void arrived(QueuedJob job) {
    ArrivalRate rate = job.group.set.rate;
    if (rate != null) {
      rate.arrived(job.spec, nowNs);
    }
  }

  /** Adds the arrival rates of all sets. */
  public void addRatesTo(List<CoreEntity> entities) {
    for (JobSet set : jobs.sets) {
      if (set.rate != null) {
        set.rate.addTo(entities, set.name());
      }
    }
  }

  public void restore(CoreEntity.ArrivalCounts entity) {
    jobs.restore(entity);
  }

  public boolean hasGroup(JobGroup group) {
    return jobs.has(group);
  }

  /** Returns when the next set becomes ripe; {@link Long#MAX_VALUE}: none will. */
  public long nextRipeAtNs() {
    return jobs.nextRipeAtNs(nowNs);
  }

  @Override
  public List<JobSet> setsThatMayStart() {
    if (jobs.standstill.cause(nowNs, executors.changes()) != null) {
      return jobs.standstill.arrivedIn();
    }
    boolean none =
        !jobs.anyRipe(nowNs) // after most arrivals, while batches gather
            || jobs.tokensNeededMin() > open().freeTokensMax(); // or while much waits
    return none ? List.of() : jobs.waitingSets();
  }

  @Override
  public boolean mayStart(CompatibleSet set) {
    JobSet jobs = (JobSet) set;
    return jobs.hasRipe(nowNs) && mayStart(jobs, open());
  }

  @Override
  public List<JobSet> setsOfGangs() {
    ofGangs.clear();
    for (int i = jobs.occupiedGangs.next(0); i >= 0; i = jobs.occupiedGangs.next(i + 1)) {
      ofGangs.add(jobs.sets[i]);
    }
    return ofGangs;
  }

  private OpenExecutors open() {
    if (openIsStale) {
      openExecutors.find(executors.array, nowNs);
      openIsStale = false;
    }
    return openExecutors;
  }

  private boolean mayStart(JobSet set, OpenExecutors open) {
    long needed = set.neededMinRipe(nowNs);
    if (needed > open.freeTokensMax()) {
      return false;
    }
    long tokens = open.tokensFor(set);
    return (tokens > Long.MIN_VALUE && needed <= tokens) || open.reserveEnoughFor(set, nowNs);
  }

  @Override
  public int startable(CompatibleSet set) {
    JobSet jobs = (JobSet) set;
    if (!mayStart(jobs)) {
      return 0;
    }
    long tokens = open().tokensFor(jobs);
    if (canStartWhole(jobs, tokens)) {
      return jobs.waiting();
    }
    int startable = 0;
    boolean anyReserved = open().reserveEnoughFor(jobs, nowNs);
    List<JobGroup> groups = jobs.groups();
    for (int i = 0; i < groups.size(); i++) {
      JobGroup group = groups.get(i);
      if (canStart(group, tokens, anyReserved)) {
        startable += group.waiting();
      }
    }
    return startable;
  }

  @Override
  public @Nullable JobGroup firstStartable(CompatibleSet set, JobOrder order) {
    JobSet jobs = (JobSet) set;
    if (!mayStart(jobs)) {
      return null;
    }
    long tokens = open().tokensFor(jobs);
    if (canStartWhole(jobs, tokens)) {
      return jobs.first(order);
    }
    JobGroup first = null;
    boolean anyReserved = open().reserveEnoughFor(jobs, nowNs);
    List<JobGroup> groups = jobs.groups();
    for (int i = 0; i < groups.size(); i++) {
      JobGroup group = groups.get(i);
      if (canStart(group, tokens, anyReserved) && (first == null || group.isBefore(first, order))) {
        first = group;
      }
    }
    return first;
  }

  /** Returns whether each waiting job of the set alone could start on these tokens. */
  private boolean canStartWhole(JobSet set, long tokens) {
    return tokens > Long.MIN_VALUE && set.neededMax() <= tokens && !set.hasUnripe(nowNs);
  }

  /**
   * Returns whether {@link #laneFor} gives a lane.
   *
   * @param tokens the tokens that its set may take
   * @param anyReserved whether a group of its set, which may be it, could start on a reservation
   */
  private boolean canStart(JobGroup group, long tokens, boolean anyReserved) {
    boolean hasTokens = tokens > Long.MIN_VALUE && group.tokensNeeded <= tokens;
    return (hasTokens || (anyReserved && open().haveRoomFor(group, nowNs))) && group.ripe(nowNs);
  }

  public List<ExecutorLanes> executors() {
    return executors.all;
  }

  public @Nullable ExecutorLanes executor(String executorId) {
    return executors.byId(executorId);
  }

  public void add(ExecutorLanes executor) {
    executors.add(executor);
  }

  public boolean hasLane(ExecutorLane lane) {
    return executors.hasLane(lane);
  }

  /** Reads anew what the executors can run, after one of them joined or changed. */
  public void executorsChanged() {
    executors.changed();
    serviceTimes.readCapabilities(reports());
    jobs.executorsChanged();
    if (passedOverGroups != null) {
      passedOverGroups.executorsChanged(executors.all);
    }
  }

  /** Returns what each executor reported last. */
  public List<ExecutorReported> reports() {
    return executors.reports();
  }

  /**
   * Returns the upper bound of the time of one job of the group alone on the fastest joined
   * executor, if none of its other lanes is busy; 0: none can run it.
   */
  public long fastestNs(JobGroup group) {
    return executors.fastestNs(group);
  }

  @Override
  public List<ExecutorLane> lanes() {
    return executors.joinedLanes;
  }

  @Override
  public List<ExecutorLane> idleLanes() {
    return executors.idleLanes();
  }

  /** Lets no lane but this take a batch; null: lets all. */
  public void openOnly(@Nullable ExecutorLane lane) {
    executors.openOnly(lane);
  }

  /** Returns whether some lane is idle and takes a batch. */
  public boolean hasIdleLane() {
    return executors.hasIdleLane();
  }

  /**
   * Returns whether some lane takes a batch: an idle one or, with {@code ahead}, one that holds
   * some.
   */
  public boolean hasFreeLane() {
    return executors.hasFreeLane();
  }

  @Override
  public @Nullable ExecutorLane laneFor(Group group) {
    return placement.laneFor((JobGroup) group, nowNs);
  }

  @Override
  public List<ExecutorLane> lanesFrom(Lane first, Group group) {
    ExecutorLane lane = (ExecutorLane) first;
    return lane.executor().lanesFrom(lane, group.lanesNeeded());
  }

  @Override
  public boolean mayStartOn(Lane first, Group group) {
    return placement.mayStartOn((ExecutorLane) first, (JobGroup) group, nowNs);
  }

  @Override
  public @Nullable ExecutorLane laneToWaitFor(Group gang) {
    return placement.laneToWaitFor((JobGroup) gang);
  }

  @Override
  public long switchNs(Lane first, Group group) {
    return placement.switchNs((ExecutorLane) first, (JobGroup) group);
  }

  @Override
  public boolean isLoaded(CompatibleSet set, Lane lane) {
    LaneMemory memory = ((ExecutorLane) lane).memory;
    LaneMemory.Resident resident = memory == null ? null : memory.of(((JobSet) set).model());
    return memory == null || (resident != null && resident.isLoaded);
  }

  @Override
  public LaneMemory.@Nullable Resident resident(CompatibleSet set, Lane lane) {
    LaneMemory memory = ((ExecutorLane) lane).memory;
    return memory == null ? null : memory.of(((JobSet) set).model());
  }

  @Override
  public long loadNs(CompatibleSet set, Lane lane) {
    ModelKey model = ((JobSet) set).model();
    ExecutorLane on = (ExecutorLane) lane;
    return on.memory == null
        ? 0
        : on.executor().loadNs(model.workload(), model.backend(), model.precision());
  }

  @Override
  public long memoryBytes(CompatibleSet set, Lane lane) {
    return ((ExecutorLane) lane).executor().memoryBytes(((JobSet) set).model());
  }

  /** Returns the tokens that a batch of the group takes; 0 if it may run outside the budget. */
  public long tokensHeldBy(JobGroup group, long samples) {
    return placement.tokensHeldBy(group, samples);
  }

  /** Notes that a batch of these jobs has started on the executor. */
  public void started(List<QueuedJob> jobs, ExecutorLanes executor) {
    if (passedOverGroups != null) {
      for (int i = 0; i < jobs.size(); i++) {
        passedOverGroups.jobStarted(jobs.get(i).group);
      }
      passedOverGroups.started(executor, nowNs);
    }
  }

  public void restore(CoreEntity.PassedOver entity) {
    ExecutorLanes executor = executors.byId(entity.executorId());
    var key =
        new JobGroup.Key(
            entity.classType(),
            entity.workload(),
            entity.backend(),
            entity.precision(),
            entity.samples(),
            entity.lanesNeeded());
    JobGroup group =
        jobs.groupsByRank.stream().filter(known -> known.key.equals(key)).findFirst().orElse(null);
    if (executor == null || group == null || passedOverGroups == null) {
      throw new IllegalArgumentException(
          "(%s) is of an executor, of jobs or of a policy that are not here".formatted(entity));
    }
    passedOverGroups.restore(executor, group, entity.sinceNs(), entity.dueNs());
  }

  /** Adds the groups that executors pass over. */
  public void addPassedOverTo(List<CoreEntity> entities) {
    executors.all.forEach(executor -> executor.reservations.addTo(entities));
  }

  @Override
  public Cause blockedBy(Group group) {
    JobGroup jobs = (JobGroup) group;
    return jobs.ripe(nowNs) ? placement.ripeBlockedBy(jobs.set) : Cause.WINDOW;
  }

  @Override
  public Choice nothingStartable() {
    long changes = executors.changes();
    boolean knownTokens = jobs.standstill.cause(nowNs, changes) == Cause.TOKENS; // comes first
    Cause cause = knownTokens ? Cause.TOKENS : causeOfStandstill();
    jobs.standstill.begin(cause, jobs.nextRipeAtNs(nowNs), changes);
    return Choice.nothing(cause);
  }

  private Cause causeOfStandstill() {
    if (jobs.waiting > 0 && !jobs.anyRipe(nowNs)) {
      return Cause.WINDOW;
    }
    boolean anyForLanes = false;
    boolean anyForWindow = false;
    List<JobSet> sets = jobs.waitingSets();
    for (int i = 0; i < sets.size(); i++) {
      JobSet set = sets.get(i);
      Cause cause = set.hasRipe(nowNs) ? placement.ripeBlockedBy(set) : Cause.WINDOW;
      if (cause == Cause.TOKENS) {
        return cause;
      }
      anyForLanes |= cause == Cause.LANE;
      anyForWindow |= set.hasUnripe(nowNs);
    }
    if (anyForLanes) {
      return Cause.LANE;
    }
    return anyForWindow ? Cause.WINDOW : Cause.CAPABILITY;
  }

  @Override
  public long freeTokens(Lane lane, Group group) {
    return ((ExecutorLane) lane).executor().freeTokens((JobGroup) group, nowNs);
  }

  @Override
  public long predictedNs(Group group, int samples, Lane lane) {
    ExecutorLane on = (ExecutorLane) lane;
    return modelOn(on, (JobGroup) group)
        .meanNs(samples, on.executor().busyLanesWith(on, group.lanesNeeded()));
  }

  @Override
  public long predictedNs(CompatibleSet set, int samples, Lane lane) {
    ExecutorLane on = (ExecutorLane) lane;
    JobSet jobs = (JobSet) set;
    return modelOn(on, jobs).meanNs(samples, busyLanesWith(on, jobs));
  }

  @Override
  public long boundNs(CompatibleSet set, int samples, Lane lane) {
    ExecutorLane on = (ExecutorLane) lane;
    JobSet jobs = (JobSet) set;
    return modelOn(on, jobs).boundNs(samples, busyLanesWith(on, jobs));
  }

  @Override
  public int largestWithin(CompatibleSet set, Lane lane, long ns) {
    return largestWithin((ExecutorLane) lane, (JobSet) set, ns, ModelTimes::meanNs);
  }

  @Override
  public int largestWithinBound(CompatibleSet set, Lane lane, long ns) {
    return largestWithin((ExecutorLane) lane, (JobSet) set, ns, ModelTimes::boundNs);
  }

  private interface BatchNs {
    long of(ModelTimes model, int samples, int busyLanes);
  }

  private static int largestWithin(ExecutorLane on, JobSet jobs, long ns, BatchNs batchNs) {
    ModelTimes model = modelOn(on, jobs);
    int busyLanes = busyLanesWith(on, jobs);
    int fits = 0;
    int tooLarge = jobs.samplesMax() + 1;
    while (fits + 1 < tooLarge) {
      int middle = (fits + tooLarge) >>> 1;
      if (batchNs.of(model, middle, busyLanes) <= ns) {
        fits = middle;
      } else {
        tooLarge = middle;
      }
    }
    return fits;
  }

  private static int busyLanesWith(ExecutorLane lane, JobSet set) {
    return lane.executor().busyLanesWith(lane, set.lanesNeeded());
  }

  private static ModelTimes modelOn(ExecutorLane lane, JobSet set) {
    ModelTimes model = set.modelOn(lane.executor());
    if (model == null) {
      throw new IllegalArgumentException(lane + " cannot run " + set.name());
    }
    return model;
  }

  @Override
  public boolean canRun(Lane lane, CompatibleSet set) {
    return ((JobSet) set).modelOn(((ExecutorLane) lane).executor()) != null;
  }

  @Override
  public boolean canRun(Lane lane, Group group) {
    return ((JobGroup) group).modelOn(((ExecutorLane) lane).executor()) != null;
  }

  /** Returns what is known in advance of a batch on the lane, which does not hold it yet. */
  public Prediction prediction(JobGroup group, int samples, ExecutorLane lane) {
    return modelOn(lane, group)
        .predict(samples, lane.executor().busyLanesWith(lane, group.lanesNeeded()));
  }

  private static ModelTimes modelOn(ExecutorLane lane, JobGroup group) {
    ModelTimes model = group.modelOn(lane.executor());
    if (model == null) {
      throw new IllegalArgumentException(lane + " cannot run " + group.key);
    }
    return model;
  }
}
