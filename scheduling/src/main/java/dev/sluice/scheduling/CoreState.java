package dev.sluice.scheduling;

import dev.sluice.scheduling.CoreSettings.JobClass;
import dev.sluice.scheduling.JobGroup.Count;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiting jobs and the executors, with the indexes that policies read. */
final class CoreState implements SchedulerState {
  final CoreSettings settings;
  final ServiceTimes serviceTimes = new ServiceTimes();

  private final Set<JobOrder> orders;
  private final Map<String, JobClass> classes = new HashMap<>();
  private final Map<JobGroup.Key, JobGroup> groupByKey = new HashMap<>();
  private final Map<SetKey, JobSet> setByKey = new HashMap<>();
  private final Map<String, Count> countByAttribute = new HashMap<>();
  private final List<JobGroup> groupsByRank = new ArrayList<>();
  private final List<JobGroup> occupied = new ArrayList<>();
  private final List<JobSet> sets = new ArrayList<>();
  private final JobList byArrival = new JobList(JobOrder.ARRIVAL);
  private final boolean keepsArrival;

  private final List<ExecutorLanes> executors = new ArrayList<>();
  private final Map<String, ExecutorLanes> executorById = new HashMap<>();

  private long nowNs;
  private int waiting;
  private long factId;
  private int dispatchIndex;

  private record SetKey(
      String classType, String workload, String backend, String precision, int lanesNeeded) {}

  /**
   * @param declared the orders that the policy reads
   */
  CoreState(CoreSettings settings, Set<JobOrder> declared) {
    this.settings = settings;
    EnumSet<JobOrder> kept = EnumSet.noneOf(JobOrder.class);
    kept.addAll(declared);
    if (settings.admission() != CoreSettings.Admission.NONE) {
      kept.add(JobOrder.DEADLINE);
    }
    if (settings.microbatch().enabled() || kept.isEmpty()) {
      kept.add(JobOrder.ENTRY); // windows; and something must list the jobs
    }
    this.orders = Collections.unmodifiableSet(kept);
    this.keepsArrival = kept.contains(JobOrder.ARRIVAL);
    settings.classes().forEach(jobClass -> classes.put(jobClass.name(), jobClass));
  }

  // --- time and place in the log

  void advanceTo(long toNs) {
    nowNs = Math.max(nowNs, toNs);
  }

  /** The next choice is about this dispatch. */
  void deciding(long fact, int index) {
    factId = fact;
    dispatchIndex = index;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public long draw() {
    return mix(mix(mix(settings.seed()) + factId) + dispatchIndex);
  }

  /** The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) after one step. */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  // --- jobs

  /** Whether the settings know the job's class and workload, and the core can place it at all. */
  boolean isRunnable(JobSpec job) {
    return classes.containsKey(job.classType())
        && settings.workloadTokens().containsKey(job.workload())
        && job.lanesNeeded() == 1
        && job.samples() >= 1;
  }

  QueuedJob newJob(JobSpec spec, long entry, long appendedAtNs, int attempts) {
    JobGroup.Key key = JobGroup.Key.of(spec);
    JobGroup group = groupByKey.get(key);
    return new QueuedJob(
        spec, group != null ? group : newGroup(key), entry, appendedAtNs, attempts);
  }

  private JobGroup newGroup(JobGroup.Key key) {
    JobClass jobClass = classes.get(key.classType());
    Integer baseTokens = settings.workloadTokens().get(key.workload());
    if (jobClass == null || baseTokens == null) {
      throw new IllegalArgumentException(key + " has an unknown class or workload");
    }
    SetKey setKey =
        new SetKey(
            key.classType(), key.workload(), key.backend(), key.precision(), key.lanesNeeded());
    JobSet set =
        setByKey.computeIfAbsent(
            setKey,
            unused -> {
              JobSet fresh = new JobSet(settings.microbatch());
              sets.add(fresh);
              return fresh;
            });
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
    group.findModels(executors, serviceTimes);
    set.add(group);
    groupByKey.put(key, group);
    int place =
        Collections.binarySearch(
            groupsByRank.stream().map(g -> g.key).toList(), key, JobGroup.Key.ORDER);
    groupsByRank.add(-place - 1, group);
    for (int rank = 0; rank < groupsByRank.size(); rank++) {
      groupsByRank.get(rank).rank = rank;
    }
    return group;
  }

  private Count count(String attribute, String value) {
    return countByAttribute.computeIfAbsent(attribute + "/" + value, unused -> new Count());
  }

  void add(QueuedJob job) {
    JobGroup group = job.group;
    if (group.waiting() == 0) {
      occupied.add(-placeOf(group) - 1, group);
    }
    group.add(job);
    if (keepsArrival) {
      byArrival.insert(job);
    }
    job.phase = QueuedJob.Phase.WAITING;
    waiting++;
  }

  void remove(QueuedJob job) {
    JobGroup group = job.group;
    group.remove(job);
    if (keepsArrival) {
      byArrival.remove(job);
    }
    waiting--;
    if (group.waiting() == 0) {
      occupied.remove(placeOf(group));
    }
  }

  /** Its place among the occupied groups, as {@link Collections#binarySearch} gives it. */
  private int placeOf(JobGroup group) {
    int low = 0;
    int high = occupied.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int rank = occupied.get(middle).rank;
      if (rank == group.rank) {
        return middle;
      }
      if (rank < group.rank) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -low - 1;
  }

  /** The waiting jobs of all groups that match, by entry. Walks over all of their jobs. */
  List<QueuedJob> waitingIn(Predicate<JobGroup> matches) {
    List<QueuedJob> jobs = new ArrayList<>();
    if (keepsArrival) {
      for (QueuedJob job = byArrival.first(); job != null; job = byArrival.after(job)) {
        if (matches.test(job.group)) {
          jobs.add(job);
        }
      }
    } else {
      JobOrder order = orders.iterator().next();
      for (JobGroup group : occupied) {
        if (matches.test(group)) {
          JobList list = group.list(order);
          for (QueuedJob job = list.first(); job != null; job = list.after(job)) {
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
    return Collections.unmodifiableList(occupied);
  }

  @Override
  public @Nullable QueuedJob oldest() {
    if (!keepsArrival) {
      throw new IllegalStateException("the policy reads order ARRIVAL but did not declare it");
    }
    return byArrival.first();
  }

  /** When the next set becomes ripe; {@link Long#MAX_VALUE}: none will. */
  long nextRipeAtNs() {
    long nextNs = Long.MAX_VALUE;
    for (JobSet set : sets) {
      if (set.readyAtNs() > nowNs) {
        nextNs = Math.min(nextNs, set.readyAtNs());
      }
    }
    return nextNs;
  }

  // --- executors

  List<ExecutorLanes> executors() {
    return executors;
  }

  @Nullable ExecutorLanes executor(String executorId) {
    return executorById.get(executorId);
  }

  void add(ExecutorLanes executor) {
    executors.add(executor);
    executorById.put(executor.report.executorId(), executor);
  }

  boolean hasLane(ExecutorLanes.Lane lane) {
    ExecutorLanes executor = lane.executor();
    return executor.order < executors.size()
        && executors.get(executor.order) == executor
        && executor.joined()
        && lane.index() < executor.report.lanes();
  }

  boolean hasGroup(JobGroup group) {
    return group.rank < groupsByRank.size() && groupsByRank.get(group.rank) == group;
  }

  /** Reads anew what the executors can run, after one of them joined or changed. */
  void executorsChanged() {
    serviceTimes.readCapabilities(executors);
    for (JobGroup group : groupsByRank) {
      group.findModels(executors, serviceTimes);
    }
  }

  /** Whether executors have joined and none has a budget for one job of the group. */
  boolean isOverBudget(JobGroup group) {
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

  /** Predicted mean of one job of the group alone on the fastest joined executor; 0: none can. */
  long fastestNs(JobGroup group) {
    long fastestNs = Long.MAX_VALUE;
    for (ExecutorLanes executor : executors) {
      ServiceTimes.Model model = executor.joined() ? group.modelOn(executor) : null;
      if (model != null) {
        fastestNs = Math.min(fastestNs, model.predict(group.samples()).meanNs());
      }
    }
    return fastestNs == Long.MAX_VALUE ? 0 : fastestNs;
  }

  @Override
  public List<ExecutorLanes.Lane> lanes() {
    List<ExecutorLanes.Lane> lanes = new ArrayList<>();
    for (ExecutorLanes executor : executors) {
      if (executor.joined()) {
        lanes.addAll(executor.lanes());
      }
    }
    return lanes;
  }

  private boolean hasJoinedExecutor() {
    for (ExecutorLanes executor : executors) {
      if (executor.joined()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean hasIdleLane() {
    for (ExecutorLanes executor : executors) {
      if (executor.hasIdleLane()) {
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
    for (ExecutorLanes executor : executors) {
      if (executor.hasIdleLane()
          && jobs.tokens <= executor.freeTokens()
          && jobs.modelOn(executor) != null) {
        return executor.firstIdleLane();
      }
    }
    return null;
  }

  @Override
  public Cause blockedBy(Group group) {
    JobGroup jobs = (JobGroup) group;
    if (!jobs.ripe(nowNs)) {
      return Cause.WINDOW;
    }
    Cause cause = Cause.CAPABILITY;
    for (ExecutorLanes executor : executors) {
      if (executor.joined() && jobs.modelOn(executor) != null) {
        if (executor.hasIdleLane()) {
          return Cause.TOKENS;
        }
        cause = Cause.LANE;
      }
    }
    return cause;
  }

  @Override
  public Choice nothingStartable() {
    if (waiting == 0) {
      return Choice.NOTHING_WAITS;
    }
    if (!hasIdleLane() && hasJoinedExecutor()) {
      return Choice.nothing(Cause.LANE);
    }
    EnumSet<Cause> causes = EnumSet.noneOf(Cause.class);
    for (JobGroup group : occupied) {
      causes.add(blockedBy(group));
    }
    for (Cause cause : List.of(Cause.TOKENS, Cause.LANE, Cause.WINDOW)) {
      if (causes.contains(cause)) {
        return Choice.nothing(cause);
      }
    }
    return Choice.nothing(Cause.CAPABILITY);
  }

  @Override
  public long freeTokens(Lane lane, Group group) {
    return ((ExecutorLanes.Lane) lane).executor().freeTokens();
  }

  @Override
  public long predictedNs(Group group, int samples, Lane lane) {
    return prediction((JobGroup) group, samples, (ExecutorLanes.Lane) lane).meanNs();
  }

  boolean canRun(JobGroup group, ExecutorLanes.Lane lane) {
    return group.modelOn(lane.executor()) != null;
  }

  Prediction prediction(JobGroup group, int samples, ExecutorLanes.Lane lane) {
    ServiceTimes.Model model = group.modelOn(lane.executor());
    if (model == null) {
      throw new IllegalArgumentException(lane + " cannot run " + group.key);
    }
    return model.predict(samples);
  }
}
