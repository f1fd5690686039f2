package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.prediction.ServiceTimes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The waiting jobs, by group and set, in the orders that are read. */
public final class WaitingJobs {
  private final CoreSettings settings;
  private final ExecutorTable executors;
  private final ServiceTimes serviceTimes;
  private final LongSupplier nowNs;

  private final Set<JobOrder> orders = EnumSet.noneOf(JobOrder.class);

  private final boolean keepsRates;

  private final boolean ignoresClass;

  private final Map<String, JobClass> classes = new HashMap<>();
  final Map<JobGroup.Key, JobGroup> groupByKey = new HashMap<>();
  private final Map<String, JobSet> setByName = new HashMap<>();

  /** Numbers of waiting jobs that share an attribute, each in an array of its own. */
  private final Map<String, int[]> countByAttribute = new HashMap<>();

  private final List<JobGroup> groupsByRank = new ArrayList<>();

  /** Sets by rank: in the order of their keys. */
  private List<JobSet> sets = List.of();

  /** Groups and sets in which a job waits, by rank; then what policies see of them. */
  private final List<JobGroup> waitingGroups = new ArrayList<>();

  private final List<JobSet> waitingSets = new ArrayList<>();

  final List<JobGroup> groupsSeen = Collections.unmodifiableList(waitingGroups);

  final List<JobSet> setsSeen = Collections.unmodifiableList(waitingSets);

  int waiting;

  WaitingJobs(
      CoreSettings settings,
      SchedulingPolicy.Needs needs,
      ExecutorTable executors,
      ServiceTimes serviceTimes,
      LongSupplier nowNs) {
    this.settings = settings;
    this.executors = executors;
    this.serviceTimes = serviceTimes;
    this.nowNs = nowNs;
    orders.addAll(needs.orders());
    if (settings.admission() != CoreSettings.Admission.NONE) {
      orders.add(JobOrder.DEADLINE);
    }
    if (settings.microbatch().enabled() || orders.isEmpty()) {
      orders.add(JobOrder.ENTRY); // windows, batches; and something must list the jobs
    }
    this.keepsRates = needs.has(Need.RATES);
    this.ignoresClass = needs.has(Need.SETS_OF_ALL_CLASSES);
    settings.jobs().classes().forEach(jobClass -> classes.put(jobClass.name(), jobClass));
  }

  /** Finds a job's group; null: its class or workload is unknown, or no core can place it. */
  public @Nullable JobGroup groupOf(JobSpec job) {
    JobGroup.Key key = JobGroup.Key.of(job);
    JobGroup known = groupByKey.get(key);
    return known == null ? newGroup(job, key) : known;
  }

  private @Nullable JobGroup newGroup(JobSpec job, JobGroup.Key key) {
    JobClass jobClass = classes.get(job.classType());
    Integer baseTokens = settings.jobs().workloadTokens().get(job.workload());
    if (jobClass == null || baseTokens == null || job.lanesNeeded() < 1 || job.samples() < 1) {
      return null;
    }
    String name =
        String.join(
            "/",
            ignoresClass ? "" : key.classType(),
            key.workload(),
            key.backend(),
            key.precision(),
            Integer.toString(key.lanesNeeded()));
    JobSet set =
        setByName.computeIfAbsent(
            name,
            unused ->
                new JobSet(
                    name,
                    jobClass,
                    job,
                    settings.microbatch(),
                    settings.microbatch().enabled() && (ignoresClass || jobClass.microbatch()),
                    nowNs,
                    // in the order of Attribute, by which JobSet reads them
                    Stream.of(
                            "workload/" + key.workload(),
                            "backend/" + key.backend(),
                            "precision/" + key.precision(),
                            "class/" + key.classType())
                        .map(shared -> countByAttribute.computeIfAbsent(shared, s -> new int[1]))
                        .toArray(int[][]::new)));
    if (keepsRates && set.rate == null) {
      set.rate = new ArrivalRate();
    }
    boolean shares =
        settings.microbatch().enabled()
            && jobClass.microbatch()
            && key.samples() <= settings.microbatch().maxBatch(key.workload());
    JobGroup group = new JobGroup(key, jobClass, set, baseTokens, shares, orders);
    set.findModels(executors.all, serviceTimes);
    group.overBudget = executors.isOverBudget(group);
    groupByKey.put(key, group);
    groupsByRank.add(group);
    groupsByRank.sort(
        Comparator.comparing(
            g -> g.key, ignoresClass ? JobGroup.Key.ORDER_BY_MODEL : JobGroup.Key.ORDER));
    sets = groupsByRank.stream().map(JobGroup::set).distinct().toList();
    for (int rank = 0; rank < groupsByRank.size(); rank++) {
      groupsByRank.get(rank).rank = rank;
    }
    for (int rank = 0; rank < sets.size(); rank++) {
      sets.get(rank).rank = rank;
    }
    return group;
  }

  public void restore(CoreEntity.ArrivalCounts entity) {
    JobGroup group = groupOf(entity.first());
    if (group != null) {
      group.set.rate = ArrivalRate.of(entity);
    }
  }

  public void addRatesTo(List<CoreEntity> entities) {
    for (JobSet set : sets) {
      if (set.rate != null) {
        set.rate.addTo(entities, set.name());
      }
    }
  }

  public void add(QueuedJob job) {
    JobGroup group = job.group;
    group.add(job);
    group.set.added(job);
    if (group.waiting() == 1) {
      waitingGroups.add(
          -1 - Collections.binarySearch(waitingGroups, group, JobGroup.BY_RANK), group);
    }
    if (group.set.waiting() == 1) {
      waitingSets.add(
          -1 - Collections.binarySearch(waitingSets, group.set, JobSet.BY_RANK), group.set);
    }
    job.phase = QueuedJob.Phase.WAITING;
    waiting++;
  }

  public void remove(QueuedJob job) {
    JobGroup group = job.group;
    group.remove(job);
    group.set.removed(job);
    if (group.waiting() == 0) {
      waitingGroups.remove(group);
      Reservations.end(group);
    }
    if (group.set.waiting() == 0) {
      waitingSets.remove(group.set);
    }
    waiting--;
  }

  /** Returns the waiting jobs of all groups that match, by entry. Walks over all of their jobs. */
  public List<QueuedJob> waitingIn(Predicate<JobGroup> matches) {
    List<QueuedJob> jobs = new ArrayList<>();
    for (JobGroup group : waitingGroups) {
      if (matches.test(group)) {
        JobList list = group.anyList();
        for (int i = 0; i < list.size(); i++) {
          jobs.add(list.at(i));
        }
      }
    }
    jobs.sort(JobOrder.ENTRY);
    return jobs;
  }

  /** Returns the sets that a job has joined, of those whose arrivals are counted. */
  List<JobSet> allSets() {
    return sets.stream().filter(set -> set.rate != null && set.rate.hasArrival()).toList();
  }

  @Nullable QueuedJob oldest() {
    JobGroup oldest = null;
    for (int i = 0; i < waitingGroups.size(); i++) {
      JobGroup group = waitingGroups.get(i);
      if (oldest == null || group.isBefore(oldest, JobOrder.ARRIVAL)) {
        oldest = group;
      }
    }
    return oldest == null ? null : oldest.first(JobOrder.ARRIVAL);
  }

  /** Returns whether some waiting job need not wait for a window. */
  boolean anyRipe(long atNs) {
    for (int i = 0; i < waitingSets.size(); i++) {
      if (waitingSets.get(i).hasRipe(atNs)) {
        return true;
      }
    }
    return false;
  }

  /** Returns when the next set becomes ripe; {@link Long#MAX_VALUE}: none will. */
  public long nextRipeAtNs(long atNs) {
    long nextNs = Long.MAX_VALUE;
    for (int i = 0; i < waitingSets.size(); i++) {
      long readyAtNs = waitingSets.get(i).readyAtNs();
      nextNs = readyAtNs > atNs ? Math.min(nextNs, readyAtNs) : nextNs;
    }
    return nextNs;
  }

  public boolean has(JobGroup group) {
    return group.rank < groupsByRank.size() && groupsByRank.get(group.rank) == group;
  }

  /** Reads anew what the executors can run, after one of them joined or changed. */
  void executorsChanged() {
    for (JobGroup group : groupsByRank) {
      group.overBudget = executors.isOverBudget(group);
    }
    for (JobSet set : sets) {
      set.findModels(executors.all, serviceTimes);
    }
  }
}
