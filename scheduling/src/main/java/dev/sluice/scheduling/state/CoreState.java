package dev.sluice.scheduling.state;

import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreListener;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.Prediction;
import dev.sluice.scheduling.job.JobClass;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.job.SplitMix;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.prediction.ServiceTimes;
import dev.sluice.scheduling.state.JobGroup.Count;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiting jobs and the executors, with the indexes that policies read. */
public final class CoreState implements SchedulerState {
  public final CoreSettings settings;
  public final ServiceTimes serviceTimes;

  private final Set<JobOrder> orders;
  private final Map<String, JobClass> classes = new HashMap<>();
  private final GroupTable groupTable = new GroupTable();
  private final Map<SetKey, JobSet> setByKey = new HashMap<>();
  private final Map<String, Count> countByAttribute = new HashMap<>();
  private final List<JobGroup> groupsByRank = new ArrayList<>();
  private final List<JobGroup> occupied = new ArrayList<>();
  private boolean occupiedIsStale;

  /** By key. */
  private JobSet[] sets = {};

  /** The places of those in which a job waits. */
  private IndexSet occupiedSets = new IndexSet();

  private final List<JobSet> mayStart = new ArrayList<>();

  /** Whether one of the sets has a ripe job; true as well while this choice has not looked. */
  private boolean anyRipe = true;

  private final OpenExecutors openExecutors = new OpenExecutors();

  /** Whether they are those of an earlier choice. */
  private boolean openIsStale;

  private final JobList byArrival = new JobList(JobOrder.ARRIVAL);
  private final boolean keepsArrival;

  /** Null: the policy wants no reservations. */
  private final @Nullable PassedOverGroups passedOverGroups;

  public final List<ExecutorLanes> executors = new ArrayList<>();

  /** The same: they are gone through several times for each fact. */
  private ExecutorLanes[] executorArray = {};

  private final Map<String, ExecutorLanes> executorById = new HashMap<>();

  /** Those of the executors that have joined. */
  private List<ExecutorLanes.Lane> lanes = List.of();

  private final List<ExecutorLanes.Lane> idleLanes = new ArrayList<>();

  /** Whether they are those of an earlier choice. */
  private boolean idleIsStale = true;

  /** Facts of one executor often come one after the other. */
  private @Nullable ExecutorLanes lastLookedUp;

  private long nowNs;
  private int waiting;
  private long factId;
  private int dispatchIndex;

  private record SetKey(
      String classType, String workload, String backend, String precision, int lanesNeeded) {}

  public CoreState(CoreSettings settings, SchedulingPolicy.Needs needs) {
    this.settings = settings;
    this.serviceTimes = new ServiceTimes(settings.predictor());
    this.passedOverGroups = needs.reservations() ? new PassedOverGroups() : null;
    EnumSet<JobOrder> kept = EnumSet.noneOf(JobOrder.class);
    kept.addAll(needs.orders());
    if (settings.admission() != CoreSettings.Admission.NONE) {
      kept.add(JobOrder.DEADLINE);
    }
    if (settings.microbatch().enabled() || kept.isEmpty()) {
      kept.add(JobOrder.ENTRY); // windows, batches; and something must list the jobs
    }
    this.orders = Collections.unmodifiableSet(kept);
    this.keepsArrival = kept.contains(JobOrder.ARRIVAL);
    settings.classes().forEach(jobClass -> classes.put(jobClass.name(), jobClass));
  }

  // --- time and place in the log

  public void advanceTo(long toNs) {
    nowNs = Math.max(nowNs, toNs);
  }

  /** The next choice is about this dispatch. */
  public void deciding(long fact, int index) {
    factId = fact;
    dispatchIndex = index;
    openIsStale = true;
    idleIsStale = true;
    anyRipe = true;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public long draw() {
    return SplitMix.mix(SplitMix.mix(settings.seed(), factId) + dispatchIndex);
  }

  // --- jobs

  /** Null: the settings lack the job's class or workload, or the core cannot place it at all. */
  @Nullable
  public JobGroup groupOf(JobSpec job) {
    JobGroup known = groupTable.find(job);
    return known == null ? newGroup(job) : known;
  }

  private @Nullable JobGroup newGroup(JobSpec job) {
    JobClass jobClass = classes.get(job.classType());
    Integer baseTokens = settings.workloadTokens().get(job.workload());
    return jobClass == null || baseTokens == null || job.lanesNeeded() < 1 || job.samples() < 1
        ? null
        : newGroup(job, jobClass, baseTokens);
  }

  /** A job that the core knew before. */
  public QueuedJob newJob(JobSpec spec, long entry, long appendedAtNs, int attempts) {
    JobGroup group = groupOf(spec);
    if (group == null) {
      throw new IllegalArgumentException(spec + " has an unknown class or workload");
    }
    return new QueuedJob(spec, group, entry, appendedAtNs, attempts);
  }

  private JobGroup newGroup(JobSpec job, JobClass jobClass, int baseTokens) {
    JobGroup.Key key = JobGroup.Key.of(job);
    SetKey setKey =
        new SetKey(
            key.classType(), key.workload(), key.backend(), key.precision(), key.lanesNeeded());
    JobSet set =
        setByKey.computeIfAbsent(setKey, unused -> new JobSet(settings.microbatch(), this::nowNs));
    boolean shares =
        settings.microbatch().enabled()
            && jobClass.microbatch()
            && key.samples() <= settings.microbatch().maxBatch();
    List<Count> counts =
        List.of(
            count("workload", key.workload()),
            count("backend", key.backend()),
            count("precision", key.precision()),
            count("class", key.classType()));
    JobGroup group = new JobGroup(key, jobClass, set, baseTokens, shares, orders, counts);
    set.add(group);
    set.findModels(executors, serviceTimes);
    groupTable.add(job, group);
    groupsByRank.add(group);
    groupsByRank.sort(Comparator.comparing(g -> g.key, JobGroup.Key.ORDER));
    Set<JobSet> setsByRank = new LinkedHashSet<>();
    for (int rank = 0; rank < groupsByRank.size(); rank++) {
      groupsByRank.get(rank).rank = rank;
      setsByRank.add(groupsByRank.get(rank).set);
    }
    sets = setsByRank.toArray(sets);
    occupiedSets = new IndexSet();
    for (int rank = 0; rank < sets.length; rank++) {
      sets[rank].rank = rank;
      occupiedSets.set(rank, sets[rank].waiting() > 0);
    }
    findBudget(group);
    if (passedOverGroups != null) {
      passedOverGroups.add(group, executors);
    }
    return group;
  }

  private Count count(String attribute, String value) {
    return countByAttribute.computeIfAbsent(attribute + "/" + value, unused -> new Count());
  }

  public void add(QueuedJob job) {
    JobGroup group = job.group;
    group.add(job);
    occupiedIsStale |= group.waiting() == 1;
    if (group.set.waiting() == 1) {
      occupiedSets.set(group.set.rank, true);
    }
    if (passedOverGroups != null && group.waiting() == 1) {
      passedOverGroups.occupied(group);
    }
    if (keepsArrival) {
      byArrival.insert(job);
    }
    job.phase = QueuedJob.Phase.WAITING;
    waiting++;
  }

  public void remove(QueuedJob job) {
    JobGroup group = job.group;
    group.remove(job);
    if (keepsArrival) {
      byArrival.remove(job);
    }
    waiting--;
    occupiedIsStale |= group.waiting() == 0;
    if (group.set.waiting() == 0) {
      occupiedSets.set(group.set.rank, false);
    }
    if (passedOverGroups != null && group.waiting() == 0) {
      passedOverGroups.emptied(group);
    }
  }

  /** The waiting jobs of all groups that match, by entry. Walks over all of their jobs. */
  public List<QueuedJob> waitingIn(Predicate<JobGroup> matches) {
    List<QueuedJob> jobs = new ArrayList<>();
    if (keepsArrival) {
      JobList.Walk walk = byArrival.walk();
      for (QueuedJob job = walk.next(); job != null; job = walk.next()) {
        if (matches.test(job.group)) {
          jobs.add(job);
        }
      }
    } else {
      JobOrder order = orders.iterator().next();
      for (JobGroup group : groupsByRank) {
        if (matches.test(group)) {
          JobList.Walk walk = group.list(order).walk();
          for (QueuedJob job = walk.next(); job != null; job = walk.next()) {
            jobs.add(job);
          }
        }
      }
    }
    jobs.sort(JobOrder.ENTRY);
    return jobs;
  }

  @Override
  public int waiting() {
    return waiting;
  }

  @Override
  public List<JobGroup> groups() {
    if (occupiedIsStale) {
      occupied.clear();
      for (JobGroup group : groupsByRank) {
        if (group.waiting() > 0) {
          occupied.add(group);
        }
      }
      occupiedIsStale = false;
    }
    return Collections.unmodifiableList(occupied);
  }

  @Override
  public List<JobSet> setsThatMayStart() {
    mayStart.clear();
    anyRipe = false;
    OpenExecutors open = open();
    for (int i = occupiedSets.next(0); i >= 0; i = occupiedSets.next(i + 1)) {
      JobSet set = sets[i];
      if (set.hasRipe(nowNs)) {
        anyRipe = true;
        if (mayStart(set, open)) {
          mayStart.add(set);
        }
      }
    }
    return mayStart;
  }

  private OpenExecutors open() {
    if (openIsStale) {
      openExecutors.find(executorArray, nowNs);
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
  public @Nullable JobGroup earliestStartable(CompatibleSet set) {
    JobSet jobs = (JobSet) set;
    long tokens = open().tokensFor(jobs);
    if (canStartWhole(jobs, tokens)) {
      return jobs.earliest();
    }
    JobGroup earliest = null;
    boolean anyReserved = open().reserveEnoughFor(jobs, nowNs);
    List<JobGroup> groups = jobs.groups();
    for (int i = 0; i < groups.size(); i++) {
      JobGroup group = groups.get(i);
      if (canStart(group, tokens, anyReserved) && (earliest == null || group.isBefore(earliest))) {
        earliest = group;
      }
    }
    return earliest;
  }

  /** Whether each waiting job of the set alone could start on so many tokens. */
  private boolean canStartWhole(JobSet set, long tokens) {
    return tokens > Long.MIN_VALUE && set.neededMax() <= tokens && !set.hasUnripe(nowNs);
  }

  /**
   * Whether {@link #laneFor} gives a lane.
   *
   * @param tokens those that there are for its set
   * @param anyReserved whether a group of its set, which may be it, could start on a reservation
   */
  private boolean canStart(JobGroup group, long tokens, boolean anyReserved) {
    boolean hasTokens = tokens > Long.MIN_VALUE && group.tokensNeeded <= tokens;
    return (hasTokens || (anyReserved && open().haveRoomFor(group, nowNs))) && group.ripe(nowNs);
  }

  @Override
  public @Nullable QueuedJob oldest() {
    if (!keepsArrival) {
      throw new IllegalStateException("the policy reads order ARRIVAL but did not declare it");
    }
    return byArrival.first();
  }

  /** When the next set becomes ripe; {@link Long#MAX_VALUE}: none will. */
  public long nextRipeAtNs() {
    long nextNs = Long.MAX_VALUE;
    for (int i = occupiedSets.next(0); i >= 0; i = occupiedSets.next(i + 1)) {
      long readyAtNs = sets[i].readyAtNs();
      if (readyAtNs > nowNs) {
        nextNs = Math.min(nextNs, readyAtNs);
      }
    }
    return nextNs;
  }

  // --- executors

  public List<ExecutorLanes> executors() {
    return executors;
  }

  @Nullable
  public ExecutorLanes executor(String executorId) {
    ExecutorLanes executor = lastLookedUp;
    if (executor == null || !executor.report.executorId().equals(executorId)) {
      executor = executorById.get(executorId);
      lastLookedUp = executor;
    }
    return executor;
  }

  public void add(ExecutorLanes executor) {
    executors.add(executor);
    executorArray = executors.toArray(executorArray);
    executorById.put(executor.report.executorId(), executor);
  }

  public boolean hasLane(ExecutorLanes.Lane lane) {
    ExecutorLanes executor = lane.executor();
    return executor.order < executorArray.length
        && executorArray[executor.order] == executor
        && executor.hasLane(lane);
  }

  public boolean hasGroup(JobGroup group) {
    return group.rank < groupsByRank.size() && groupsByRank.get(group.rank) == group;
  }

  /** Reads anew what the executors can run, after one of them joined or changed. */
  public void executorsChanged() {
    lanes = joinedLanes();
    serviceTimes.readCapabilities(reports());
    groupsByRank.forEach(this::findBudget);
    for (JobSet set : sets) {
      set.findModels(executors, serviceTimes);
    }
    if (passedOverGroups != null) {
      passedOverGroups.executorsChanged(executors);
    }
  }

  /** What each executor reported last. */
  public List<CoreFact.ExecutorReported> reports() {
    List<CoreFact.ExecutorReported> reports = new ArrayList<>(executors.size());
    for (ExecutorLanes executor : executors) {
      reports.add(executor.report);
    }
    return reports;
  }

  private void findBudget(JobGroup group) {
    group.overBudget = isOverBudget(group);
    group.tokensNeeded = group.overBudget && settings.cpuFallback() ? Long.MIN_VALUE : group.tokens;
  }

  private boolean isOverBudget(JobGroup group) {
    boolean anyJoined = false;
    for (ExecutorLanes executor : executors) {
      if (executor.joined()) {
        anyJoined = true;
        if (group.tokens <= executor.report.tokens()) {
          return false;
        }
      }
    }
    return anyJoined;
  }

  /**
   * Upper bound of the time of one job of the group alone on the fastest joined executor, if none
   * of its other lanes is busy; 0: none can run it.
   */
  public long fastestNs(JobGroup group) {
    long fastestNs = Long.MAX_VALUE;
    for (ExecutorLanes executor : executors) {
      ServiceTimes.Model model = executor.joined() ? group.modelOn(executor) : null;
      if (model != null) {
        fastestNs = Math.min(fastestNs, model.boundNs(group.samples(), 1));
      }
    }
    return fastestNs == Long.MAX_VALUE ? 0 : fastestNs;
  }

  @Override
  public List<ExecutorLanes.Lane> lanes() {
    return lanes;
  }

  @Override
  public List<ExecutorLanes.Lane> idleLanes() {
    if (idleIsStale) {
      idleLanes.clear();
      for (ExecutorLanes executor : executorArray) {
        executor.addIdle(idleLanes);
      }
      idleIsStale = false;
    }
    return idleLanes;
  }

  private List<ExecutorLanes.Lane> joinedLanes() {
    return executors.stream()
        .filter(ExecutorLanes::joined)
        .flatMap(executor -> executor.lanes().stream())
        .toList();
  }

  /** Whether some lane is idle and takes a batch. */
  public boolean hasIdleLane() {
    for (ExecutorLanes executor : executorArray) {
      if (executor.hasIdleLane()) {
        return true;
      }
    }
    return false;
  }

  /** Whether some lane takes a batch, be it idle or, with {@code ahead}, holding one already. */
  public boolean hasFreeLane() {
    for (ExecutorLanes executor : executorArray) {
      if (executor.takesBatch()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public ExecutorLanes.@Nullable Lane laneFor(Group group) {
    JobGroup jobs = (JobGroup) group;
    if (!jobs.ripe(nowNs)) {
      return null;
    }
    for (ExecutorLanes executor : executorArray) {
      ExecutorLanes.Lane lane =
          executor.hasIdleLane() ? executor.firstIdle(jobs.lanesNeeded()) : null;
      if (lane != null && hasRoom(jobs, executor)) {
        return lane;
      }
    }
    return settings.ahead() == 0 || jobs.lanesNeeded() > 1 ? null : busyLaneFor(jobs);
  }

  @Override
  public List<ExecutorLanes.Lane> lanesFrom(Lane first, Group group) {
    ExecutorLanes.Lane lane = (ExecutorLanes.Lane) first;
    return lane.executor().lanesFrom(lane, group.lanesNeeded());
  }

  @Override
  public boolean mayStartOn(Lane first, Group group) {
    ExecutorLanes.Lane lane = (ExecutorLanes.Lane) first;
    JobGroup jobs = (JobGroup) group;
    return lane.executor().isIdle(lane, jobs.lanesNeeded())
        && jobs.ripe(nowNs)
        && hasRoom(jobs, lane.executor());
  }

  @Override
  public ExecutorLanes.@Nullable Lane laneToWaitFor(Group gang) {
    JobGroup jobs = (JobGroup) gang;
    ExecutorLanes.Lane best = null;
    long bestNs = Long.MAX_VALUE;
    for (ExecutorLanes executor : executors) {
      if (executor.joined() && !executor.lost() && couldEverRun(jobs, executor)) {
        for (int i = 0;
            i + gang.lanesNeeded() <= executor.lanes().size();
            i += gang.lanesNeeded()) {
          ExecutorLanes.Lane lane = executor.lane(i);
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

  /** Whether the executor can run the group's model, and has the tokens if nothing else runs. */
  private boolean couldEverRun(JobGroup group, ExecutorLanes executor) {
    return group.modelOn(executor) != null
        && (group.overBudget ? settings.cpuFallback() : group.tokens <= executor.report.tokens());
  }

  @Override
  public long switchNs(Lane first, Group group) {
    JobGroup.Key key = ((JobGroup) group).key;
    long loadNs =
        ((ExecutorLanes.Lane) first)
            .executor()
            .loadNs(key.workload(), key.backend(), key.precision());
    if (loadNs == 0 && settings.switching() == CoreSettings.Switching.NONE) {
      return 0;
    }
    long longestNs = 0;
    for (Lane lane : lanesFrom(first, group)) {
      longestNs = Math.max(longestNs, switchNs(lane.resident(), group.workload(), loadNs));
    }
    return longestNs;
  }

  /** By what the executor was seen to take, else by the settings. */
  private long switchNs(@Nullable String resident, String workload, long loadNs) {
    if (loadNs == 0) {
      return settings.switching().switchNs(resident, workload);
    }
    return workload.equals(resident) ? 0 : loadNs;
  }

  /** The lane that is expected free first, of those that take a batch beside what they hold. */
  private ExecutorLanes.@Nullable Lane busyLaneFor(JobGroup group) {
    ExecutorLanes.Lane best = null;
    for (ExecutorLanes executor : executors) {
      ExecutorLanes.Lane lane = executor.firstToTakeMore();
      if (lane != null
          && (best == null || lane.expectedFreeAtNs() < best.expectedFreeAtNs())
          && hasRoom(group, executor)) {
        best = lane;
      }
    }
    return best;
  }

  /** Whether the executor can run the group's model, and has the tokens for one of its jobs. */
  private boolean hasRoom(JobGroup group, ExecutorLanes executor) {
    return group.modelOn(executor) != null
        && (group.overBudget
            ? settings.cpuFallback()
            : group.tokens <= executor.freeTokens(group, nowNs));
  }

  /** Tokens that a batch of the group takes; none if it may run outside the budget. */
  public long tokensHeldBy(JobGroup group, long samples) {
    return group.overBudget && settings.cpuFallback() ? 0 : group.tokensOf(samples);
  }

  /** A batch of these jobs has started there. */
  public void started(List<QueuedJob> jobs, ExecutorLanes executor) {
    if (passedOverGroups != null) {
      for (int i = 0; i < jobs.size(); i++) {
        passedOverGroups.jobStarted(jobs.get(i).group);
      }
      passedOverGroups.started(executor, nowNs);
    }
  }

  public void restore(CoreEntity.PassedOver entity) {
    ExecutorLanes executor = executor(entity.executorId());
    var key =
        new JobGroup.Key(
            entity.classType(),
            entity.workload(),
            entity.backend(),
            entity.precision(),
            entity.samples(),
            entity.lanesNeeded());
    JobGroup group =
        groupsByRank.stream().filter(known -> known.key.equals(key)).findFirst().orElse(null);
    if (executor == null || group == null || passedOverGroups == null) {
      throw new IllegalArgumentException(
          "(%s) is of an executor, of jobs or of a policy that are not here".formatted(entity));
    }
    passedOverGroups.restore(executor, group, entity.sinceNs(), entity.dueNs());
  }

  /** Tells what changed of the groups that were passed over. */
  public void tellPassedOver(CoreListener listener) {
    if (passedOverGroups != null) {
      passedOverGroups.tellChanges(listener);
    }
  }

  @Override
  public Cause blockedBy(Group group) {
    JobGroup jobs = (JobGroup) group;
    return jobs.ripe(nowNs) ? ripeBlockedBy(jobs.set) : Cause.WINDOW;
  }

  private Cause ripeBlockedBy(JobSet set) {
    Cause cause = Cause.CAPABILITY;
    for (ExecutorLanes executor : executorArray) {
      if (executor.joined() && set.modelOn(executor) != null) {
        if (executor.takes(set.lanesNeeded())) {
          return Cause.TOKENS;
        }
        cause = Cause.LANE;
      }
    }
    return cause;
  }

  @Override
  public Choice nothingStartable() {
    if (!anyRipe) {
      return Choice.nothing(Cause.WINDOW);
    }
    boolean anyForLanes = false;
    boolean anyForWindow = false;
    for (int i = occupiedSets.next(0); i >= 0; i = occupiedSets.next(i + 1)) {
      JobSet set = sets[i];
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
  public long freeTokens(Lane lane, Group group) {
    return ((ExecutorLanes.Lane) lane).executor().freeTokens((JobGroup) group, nowNs);
  }

  @Override
  public long predictedNs(Group group, int samples, Lane lane) {
    ExecutorLanes.Lane on = (ExecutorLanes.Lane) lane;
    return modelOn(on, (JobGroup) group)
        .meanNs(samples, on.executor().busyLanesWith(on, group.lanesNeeded()));
  }

  @Override
  public boolean canRun(Lane lane, Group group) {
    return ((JobGroup) group).modelOn(((ExecutorLanes.Lane) lane).executor()) != null;
  }

  /** All that is known in advance of a batch on the lane, which does not hold it yet. */
  public Prediction prediction(JobGroup group, int samples, ExecutorLanes.Lane lane) {
    return modelOn(lane, group)
        .predict(samples, lane.executor().busyLanesWith(lane, group.lanesNeeded()));
  }

  private static ServiceTimes.Model modelOn(ExecutorLanes.Lane lane, JobGroup group) {
    ServiceTimes.Model model = group.modelOn(lane.executor());
    if (model == null) {
      throw new IllegalArgumentException(lane + " cannot run " + group.key);
    }
    return model;
  }
}
