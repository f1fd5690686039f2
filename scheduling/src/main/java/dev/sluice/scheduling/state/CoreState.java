package dev.sluice.scheduling.state;

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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a core as its parts and the policies see it: the waiting jobs, the executors, and
 * the time. One class for both, so that the policies' view costs nothing to make.
 */
public final class CoreState implements SchedulerState {
  public final CoreSettings settings;
  public final ServiceTimes serviceTimes;

  public final ExecutorTable executors = new ExecutorTable();
  public final WaitingJobs jobs;

  private final boolean reserves;

  public final Memory memory = new Memory();

  private long nowNs;
  private long factId;
  private int dispatchIndex;

  public CoreState(CoreSettings settings, SchedulingPolicy.Needs needs) {
    this.settings = needs.has(Need.JOINING) ? settings.withoutWindow() : settings;
    this.serviceTimes = new ServiceTimes(settings.predictor());
    this.reserves = needs.has(Need.RESERVATIONS);
    this.jobs = new WaitingJobs(this.settings, needs, executors, serviceTimes, this::nowNs);
  }

  public void advanceTo(long toNs) {
    nowNs = Math.max(nowNs, toNs);
  }

  /** Names the dispatch that the next choice is about. */
  public void deciding(long fact, int index) {
    factId = fact;
    dispatchIndex = index;
    executors.idleIsStale = true;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public long draw() {
    return SplitMix64.mix(SplitMix64.mix(settings.jobs().seed(), factId) + dispatchIndex);
  }

  /** Makes a job that the core knew before. */
  public QueuedJob newJob(JobSpec spec, long entry, long appendedAtNs, int attempts) {
    JobGroup group = jobs.groupOf(spec);
    if (group == null) {
      throw new IllegalArgumentException(spec + " has an unknown class or workload");
    }
    return new QueuedJob(spec, group, entry, appendedAtNs, attempts);
  }

  @Override
  public int waiting() {
    return jobs.waiting;
  }

  @Override
  public List<JobGroup> groups() {
    return jobs.groupsSeen;
  }

  @Override
  public @Nullable QueuedJob oldest() {
    return jobs.oldest();
  }

  @Override
  public List<JobSet> sets() {
    return jobs.setsSeen;
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

  @Override
  public List<JobSet> setsThatMayStart() {
    return jobs.anyRipe(nowNs) ? jobs.setsSeen : List.of();
  }

  @Override
  public boolean mayStart(CompatibleSet set) {
    JobSet jobs = (JobSet) set;
    if (!jobs.hasRipe(nowNs)) {
      return false;
    }
    long tokensMin = settings.placing().cpuFallback() ? Long.MIN_VALUE : jobs.tokensMin();
    for (int i = 0; i < executors.all.size(); i++) {
      ExecutorLanes executor = executors.all.get(i);
      if (tokensMin <= executor.freeTokens()
          && executor.takesBatch()
          && jobs.modelOn(executor) != null) {
        return true;
      }
    }
    return false;
  }

  @Override
  public @Nullable JobGroup firstStartable(CompatibleSet set, JobOrder order) {
    JobGroup first = null;
    List<JobGroup> groups = mayStart(set) ? ((JobSet) set).groups() : List.of();
    for (int i = 0; i < groups.size(); i++) {
      JobGroup group = groups.get(i);
      if ((first == null || group.isBefore(first, order)) && laneFor(group) != null) {
        first = group;
      }
    }
    return first;
  }

  /** Reads anew what the executors can run, after one of them joined or changed. */
  public void executorsChanged() {
    executors.changed();
    serviceTimes.readCapabilities(executors.reports());
    jobs.executorsChanged();
    executors.all.forEach(executor -> executor.reservations.executorsChanged());
  }

  @Override
  public List<ExecutorLane> lanes() {
    return executors.joinedLanes;
  }

  @Override
  public List<ExecutorLane> idleLanes() {
    return executors.idleLanes();
  }

  @Override
  public @Nullable ExecutorLane laneFor(Group asked) {
    JobGroup group = (JobGroup) asked;
    if (!group.ripe(nowNs)) {
      return null;
    }
    for (ExecutorLanes executor : executors.all) {
      ExecutorLane lane = executor.idle.isEmpty() ? null : executor.firstIdle(group.lanesNeeded());
      if (lane != null && hasRoom(group, executor)) {
        return lane;
      }
    }
    return settings.placing().ahead() == 0 || group.lanesNeeded() > 1 ? null : busyLaneFor(group);
  }

  @Override
  public List<ExecutorLane> lanesFrom(Lane first, Group group) {
    ExecutorLane lane = (ExecutorLane) first;
    return lane.executor.lanesFrom(lane, group.lanesNeeded());
  }

  @Override
  public boolean mayStartOn(Lane lane, Group asked) {
    ExecutorLane first = (ExecutorLane) lane;
    JobGroup group = (JobGroup) asked;
    return first.executor.isIdle(first, group.lanesNeeded())
        && group.ripe(nowNs)
        && hasRoom(group, first.executor);
  }

  @Override
  public @Nullable ExecutorLane laneToWaitFor(Group asked) {
    JobGroup gang = (JobGroup) asked;
    ExecutorLane best = null;
    long bestNs = Long.MAX_VALUE;
    for (ExecutorLanes executor : executors.all) {
      if (executor.joined() && !executor.lost && couldEverRun(gang, executor)) {
        for (int i = 0;
            i + gang.lanesNeeded() <= executor.lanes().size();
            i += gang.lanesNeeded()) {
          ExecutorLane lane = executor.allLanes.get(i);
          long freeAtNs = executor.expectedFreeAtNs(lane, gang.lanesNeeded());
          if (best == null || freeAtNs < bestNs) {
            best = lane;
            bestNs = freeAtNs;
          }
        }
      }
    }
    return best;
  }

  /** Returns whether the executor can run the group's model, and has the tokens if it is empty. */
  private boolean couldEverRun(JobGroup group, ExecutorLanes executor) {
    return group.set.modelOn(executor) != null
        && (group.overBudget
            ? settings.placing().cpuFallback()
            : group.tokens <= executor.budgetTokens);
  }

  @Override
  public long switchNs(Lane lane, Group asked) {
    ExecutorLane first = (ExecutorLane) lane;
    JobGroup group = (JobGroup) asked;
    ExecutorLanes executor = first.executor;
    long loadNs = executor.loadNs(group.model());
    if (loadNs == 0 && settings.placing().switching() == CoreSettings.Switching.NONE) {
      return 0;
    }
    long longestNs = 0;
    for (ExecutorLane each : executor.lanesFrom(first, group.lanesNeeded())) {
      long laneNs =
          each.memory == null
              ? switchNs(each.resident(), group.workload(), loadNs)
              : each.memory.of(group.model()) == null ? loadNs : 0;
      longestNs = Math.max(longestNs, laneNs);
    }
    return longestNs;
  }

  /** Returns the loading time that the executor says, else that of the settings. */
  private long switchNs(@Nullable String resident, String workload, long loadNs) {
    if (loadNs == 0) {
      return settings.placing().switching().switchNs(resident, workload);
    }
    return workload.equals(resident) ? 0 : loadNs;
  }

  /** Finds, of the lanes that take a batch beside what they hold, the one expected free first. */
  private @Nullable ExecutorLane busyLaneFor(JobGroup group) {
    ExecutorLane best = null;
    for (ExecutorLanes executor : executors.all) {
      ExecutorLane lane = executor.firstToTakeMore();
      if (lane != null
          && (best == null || lane.expectedFreeAtNs() < best.expectedFreeAtNs())
          && hasRoom(group, executor)) {
        best = lane;
      }
    }
    return best;
  }

  /** Returns whether the executor can run the group's model, and has the tokens for one job. */
  private boolean hasRoom(JobGroup group, ExecutorLanes executor) {
    return group.set.modelOn(executor) != null
        && (group.overBudget
            ? settings.placing().cpuFallback()
            : group.tokens <= executor.freeTokens(group, nowNs));
  }

  @Override
  public boolean isLoaded(CompatibleSet set, Lane lane) {
    LaneMemory.Resident resident = resident(set, lane);
    return ((ExecutorLane) lane).memory == null || (resident != null && resident.isLoaded);
  }

  @Override
  public LaneMemory.@Nullable Resident resident(CompatibleSet set, Lane lane) {
    LaneMemory memory = ((ExecutorLane) lane).memory;
    return memory == null ? null : memory.of(((JobSet) set).model());
  }

  @Override
  public long loadNs(CompatibleSet set, Lane lane) {
    ExecutorLane on = (ExecutorLane) lane;
    return on.memory == null ? 0 : on.executor.loadNs(((JobSet) set).model());
  }

  @Override
  public long memoryBytes(CompatibleSet set, Lane lane) {
    return ((ExecutorLane) lane).executor.memoryBytes(((JobSet) set).model());
  }

  /** Returns the tokens that a batch of the group takes; 0 if it may run outside the budget. */
  public long tokensHeldBy(JobGroup group, long samples) {
    return group.overBudget && settings.placing().cpuFallback() ? 0 : group.tokensOf(samples);
  }

  public void started(List<QueuedJob> jobs, ExecutorLanes executor) {
    if (reserves) {
      for (int i = 0; i < jobs.size(); i++) {
        Reservations.end(jobs.get(i).group);
      }
      executor.reservations.started(groups(), nowNs);
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
    JobGroup group = jobs.groupByKey.get(key);
    if (executor == null || group == null || !reserves) {
      throw new IllegalArgumentException(
          "(%s) is of an executor, of jobs or of a policy that are not here".formatted(entity));
    }
    executor.reservations.add(group, entity.sinceNs(), entity.dueNs());
  }

  public void addPassedOverTo(List<CoreEntity> entities) {
    executors.all.forEach(executor -> executor.reservations.addTo(entities));
  }

  @Override
  public Cause blockedBy(Group group) {
    JobGroup jobs = (JobGroup) group;
    return jobs.ripe(nowNs) ? ripeBlockedBy(jobs.set) : Cause.WINDOW;
  }

  /** Returns why no ripe job of the set may start, as long as none can. */
  private Cause ripeBlockedBy(JobSet set) {
    Cause cause = Cause.CAPABILITY;
    for (ExecutorLanes executor : executors.all) {
      if (executor.joined() && set.modelOn(executor) != null) {
        if (executor.takes(set.lanesNeeded)) {
          return Cause.TOKENS;
        }
        cause = Cause.LANE;
      }
    }
    return cause;
  }

  @Override
  public Choice nothingStartable() {
    if (jobs.waiting > 0 && !jobs.anyRipe(nowNs)) {
      return Choice.nothing(Cause.WINDOW);
    }
    boolean anyForLanes = false;
    boolean anyForWindow = false;
    List<JobSet> sets = jobs.setsSeen;
    for (int i = 0; i < sets.size(); i++) {
      JobSet set = sets.get(i);
      Cause cause = set.hasRipe(nowNs) ? ripeBlockedBy(set) : Cause.WINDOW;
      if (cause == Cause.TOKENS) {
        return Choice.nothing(cause);
      }
      anyForLanes |= cause == Cause.LANE;
      anyForWindow |= set.hasUnripe(nowNs);
    }
    if (anyForLanes) {
      return Choice.nothing(Cause.LANE);
    }
    return Choice.nothing(anyForWindow ? Cause.WINDOW : Cause.CAPABILITY);
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
    return lane.executor.busyLanesWith(lane, set.lanesNeeded);
  }

  private static ModelTimes modelOn(ExecutorLane lane, JobSet set) {
    ModelTimes model = set.modelOn(lane.executor);
    if (model == null) {
      throw new IllegalArgumentException(lane + " cannot run " + set.name());
    }
    return model;
  }

  @Override
  public boolean canRun(Lane lane, CompatibleSet set) {
    return ((JobSet) set).modelOn(((ExecutorLane) lane).executor) != null;
  }

  /** Returns what is known in advance of a batch on the lane, which does not hold it yet. */
  public Prediction prediction(JobGroup group, int samples, ExecutorLane lane) {
    return modelOn(lane, group.set).predict(samples, busyLanesWith(lane, group.set));
  }
}
