package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.prediction.ServiceTimes;
import dev.sluice.scheduling.state.JobSet.Count;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
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

  /** Groups that are passed over; null: the policy wants no reservations. */
  private final @Nullable PassedOverGroups passedOverGroups;

  /** Orders in which the jobs are kept. */
  private final Set<JobOrder> orders;

  private final boolean keepsArrival;

  private final boolean keepsRates;

  /** Whether jobs of all classes form one set. */
  private final boolean ignoresClass;

  private final Map<String, JobClass> classes = new HashMap<>();

  private final GroupTable groupTable = new GroupTable();

  private final Map<String, JobSet> setByName = new HashMap<>();

  private final Map<String, Count> countByAttribute = new HashMap<>();

  final List<JobGroup> groupsByRank = new ArrayList<>();

  /** Groups in which a job waits, by rank. */
  private final List<JobGroup> occupied = new ArrayList<>();

  private boolean occupiedIsStale;

  /** Sets by rank: in the order of their keys. */
  JobSet[] sets = {};

  /** Ranks of the sets in which a job waits. */
  IndexSet occupiedSets = new IndexSet();

  /** Sets in which a job waits, by rank: a list is walked sooner than the bits of a set. */
  private final List<JobSet> waitingSets = new ArrayList<>();

  private boolean waitingSetsAreStale;

  /** Ranks of the sets of gangs in which a job waits. */
  IndexSet occupiedGangs = new IndexSet();

  private final JobList byArrival = new JobList(JobOrder.ARRIVAL);

  int waiting;

  /** When the first set is ripe; {@link Long#MIN_VALUE}: it has jobs that wait for no window. */
  private long ripeAtNs = Long.MAX_VALUE;

  private boolean ripeAtIsStale;

  /** A set that was ripe when it was last looked at; null: none is known. */
  private @Nullable JobSet ripe;

  /** When the next set becomes ripe, as it was found last; it is found anew from then on. */
  private long nextRipeAtNs = Long.MIN_VALUE;

  final Standstill standstill = new Standstill();

  private long tokensNeededMin;
  private boolean tokensNeededMinIsStale = true;

  WaitingJobs(
      CoreSettings settings,
      SchedulingPolicy.Needs needs,
      ExecutorTable executors,
      ServiceTimes serviceTimes,
      @Nullable PassedOverGroups passedOverGroups,
      LongSupplier nowNs) {
    this.settings = settings;
    this.executors = executors;
    this.serviceTimes = serviceTimes;
    this.passedOverGroups = passedOverGroups;
    this.nowNs = nowNs;
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
    this.keepsRates = needs.has(Need.RATES);
    this.ignoresClass = needs.has(Need.SETS_OF_ALL_CLASSES);
    settings.classes().forEach(jobClass -> classes.put(jobClass.name(), jobClass));
  }

  /**
   * Finds the group of a job; null: the settings lack its class or workload, or no core can place
   * it at all.
   */
  public @Nullable JobGroup groupOf(JobSpec job) {
    JobGroup known = groupTable.find(job);
    return known == null ? newGroup(job) : known;
  }

  private @Nullable JobGroup newGroup(JobSpec job) {
    JobClass jobClass = classes.get(job.classType());
    Integer baseTokens = settings.workloadTokens().get(job.workload());
    if (jobClass == null || baseTokens == null || job.lanesNeeded() < 1 || job.samples() < 1) {
      return null;
    }
    JobGroup.Key key = JobGroup.Key.of(job);
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
                    countsOf(key)));
    if (keepsRates && set.rate == null) {
      set.rate = new ArrivalRate();
    }
    boolean shares =
        settings.microbatch().enabled()
            && jobClass.microbatch()
            && key.samples() <= settings.microbatch().maxBatch(key.workload());
    JobGroup group = new JobGroup(key, jobClass, set, baseTokens, shares, orders);
    set.add(group);
    set.findModels(executors.all, serviceTimes);
    groupTable.add(job, group);
    standstill.end();
    groupsByRank.add(group);
    groupsByRank.sort(
        Comparator.comparing(
            g -> g.key, ignoresClass ? JobGroup.Key.ORDER_BY_MODEL : JobGroup.Key.ORDER));
    Set<JobSet> setsByRank = new LinkedHashSet<>();
    for (int rank = 0; rank < groupsByRank.size(); rank++) {
      groupsByRank.get(rank).rank = rank;
      setsByRank.add(groupsByRank.get(rank).set);
    }
    sets = setsByRank.toArray(sets);
    occupiedSets = new IndexSet();
    occupiedGangs = new IndexSet();
    for (int rank = 0; rank < sets.length; rank++) {
      sets[rank].rank = rank;
      noteWhetherOccupied(sets[rank]);
    }
    findBudget(group);
    if (passedOverGroups != null) {
      passedOverGroups.add(group, executors.all);
    }
    return group;
  }

  /** Takes over the arrivals of a set. */
  public void restore(CoreEntity.ArrivalCounts entity) {
    JobGroup group = groupOf(entity.first());
    if (group != null) {
      group.set.rate = ArrivalRate.of(entity);
    }
  }

  /** Adds the arrival rates of all sets. */
  public void addRatesTo(List<CoreEntity> entities) {
    for (JobSet set : sets) {
      if (set.rate != null) {
        set.rate.addTo(entities, set.name());
      }
    }
  }

  private void noteWhetherOccupied(JobSet ofRank) {
    boolean isOccupied = ofRank.waiting() > 0;
    waitingSetsAreStale = true;
    occupiedSets.set(ofRank.rank, isOccupied);
    if (ofRank.lanesNeeded() > 1) {
      occupiedGangs.set(ofRank.rank, isOccupied);
    }
  }

  /**
   * Returns the counts of the key's attributes, in the order of {@link SchedulerState.Attribute}.
   */
  private Count[] countsOf(JobGroup.Key key) {
    return new Count[] {
      count("workload", key.workload()),
      count("backend", key.backend()),
      count("precision", key.precision()),
      count("class", key.classType())
    };
  }

  private Count count(String attribute, String value) {
    return countByAttribute.computeIfAbsent(attribute + "/" + value, unused -> new Count());
  }

  public void add(QueuedJob job) {
    JobGroup group = job.group;
    long readyAtNs = group.shares ? group.set.readyAtNs() : 0;
    group.add(job);
    if (group.shares) {
      noteReady(group.set, readyAtNs);
    }
    standstill.arrived(group.set, nowNs.getAsLong());
    occupiedIsStale |= group.waiting() == 1;
    if (group.set.waiting() == 1) {
      noteWhetherOccupied(group.set);
    }
    ripeAtNs = Math.min(ripeAtNs, group.set.ripeAtNs());
    if (group.waiting() == 1) {
      tokensNeededMin = Math.min(tokensNeededMin, group.tokensNeeded);
      if (passedOverGroups != null) {
        passedOverGroups.occupied(group);
      }
    }
    if (keepsArrival) {
      byArrival.insert(job);
    }
    job.phase = QueuedJob.Phase.WAITING;
    waiting++;
  }

  /** Notes that a set that was ready at a time has got one more job that shares batches. */
  private void noteReady(JobSet set, long readyAtNsBefore) {
    long readyAtNs = set.readyAtNs();
    if (readyAtNs > nowNs.getAsLong()) {
      nextRipeAtNs = Math.min(nextRipeAtNs, readyAtNs);
    } else if (readyAtNsBefore == nextRipeAtNs) {
      nextRipeAtNs = Long.MIN_VALUE; // the set is full
    }
  }

  public void remove(QueuedJob job) {
    JobGroup group = job.group;
    group.remove(job);
    standstill.end();
    if (group.shares) {
      nextRipeAtNs = Long.MIN_VALUE;
    }
    if (keepsArrival) {
      byArrival.remove(job);
    }
    waiting--;
    ripeAtIsStale |= group.shares || group.waiting() == 0;
    occupiedIsStale |= group.waiting() == 0;
    if (group.set.waiting() == 0) {
      noteWhetherOccupied(group.set);
    }
    if (group.waiting() == 0) {
      tokensNeededMinIsStale |= group.tokensNeeded <= tokensNeededMin;
      if (passedOverGroups != null) {
        passedOverGroups.emptied(group);
      }
    }
  }

  /** Returns the waiting jobs of all groups that match, by entry. Walks over all of their jobs. */
  public List<QueuedJob> waitingIn(Predicate<JobGroup> matches) {
    List<QueuedJob> jobs = new ArrayList<>();
    for (QueuedJob job : all()) {
      if (matches.test(job.group)) {
        jobs.add(job);
      }
    }
    jobs.sort(JobOrder.ENTRY);
    return jobs;
  }

  /** Returns all waiting jobs, in no order that means anything. Looks at none of them. */
  public QueuedJob[] all() {
    QueuedJob[] all = new QueuedJob[waiting];
    if (keepsArrival) {
      byArrival.copyTo(all, 0);
      return all;
    }
    JobOrder order = orders.iterator().next();
    int count = 0;
    for (JobGroup group : groups()) {
      group.list(order).copyTo(all, count);
      count += group.waiting();
    }
    return all;
  }

  /** Returns the sets that a job has joined, of those whose arrivals are counted. */
  List<JobSet> allSets() {
    return Stream.of(sets).filter(set -> set.rate != null && set.rate.hasArrival()).toList();
  }

  List<JobSet> waitingSets() {
    if (waitingSetsAreStale) {
      waitingSets.clear();
      for (int i = occupiedSets.next(0); i >= 0; i = occupiedSets.next(i + 1)) {
        waitingSets.add(sets[i]);
      }
      waitingSetsAreStale = false;
    }
    return waitingSets;
  }

  List<JobGroup> groups() {
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

  @Nullable QueuedJob oldest() {
    if (!keepsArrival) {
      throw new IllegalStateException("the policy reads order ARRIVAL but did not declare it");
    }
    return byArrival.first();
  }

  /** Returns whether some waiting job need not wait for a window. */
  boolean anyRipe(long atNs) {
    return (ripe != null && ripe.hasRipe(atNs)) || ripeAtNs() <= atNs;
  }

  /**
   * Returns when the first set is ripe: {@link Long#MIN_VALUE} if it has jobs that wait for no
   * window; {@link Long#MAX_VALUE} if no job waits.
   */
  private long ripeAtNs() {
    if (ripeAtIsStale) {
      ripeAtNs = Long.MAX_VALUE;
      List<JobSet> waitingNow = waitingSets();
      for (int i = 0; i < waitingNow.size(); i++) {
        JobSet set = waitingNow.get(i);
        if (set.ripeAtNs() < ripeAtNs) {
          ripeAtNs = set.ripeAtNs();
          ripe = set;
        }
      }
      ripeAtIsStale = false;
    }
    return ripeAtNs;
  }

  /** Returns when the next set becomes ripe; {@link Long#MAX_VALUE}: none will. */
  public long nextRipeAtNs(long atNs) {
    if (nextRipeAtNs <= atNs) {
      nextRipeAtNs = Long.MAX_VALUE;
      List<JobSet> waitingNow = waitingSets();
      for (int i = 0; i < waitingNow.size(); i++) {
        long readyAtNs = waitingNow.get(i).readyAtNs();
        if (readyAtNs > atNs) {
          nextRipeAtNs = Math.min(nextRipeAtNs, readyAtNs);
        }
      }
    }
    return nextRipeAtNs;
  }

  /**
   * Returns the fewest tokens that must be free for one of the waiting jobs, as {@link
   * JobGroup#tokensNeeded} has it; {@link Long#MAX_VALUE}: none waits.
   */
  long tokensNeededMin() {
    if (tokensNeededMinIsStale) {
      tokensNeededMin = Long.MAX_VALUE;
      List<JobSet> waitingNow = waitingSets();
      for (int i = 0; i < waitingNow.size(); i++) {
        tokensNeededMin = Math.min(tokensNeededMin, waitingNow.get(i).neededMin());
      }
      tokensNeededMinIsStale = false;
    }
    return tokensNeededMin;
  }

  public boolean has(JobGroup group) {
    return group.rank < groupsByRank.size() && groupsByRank.get(group.rank) == group;
  }

  /** Reads anew what the executors can run, after one of them joined or changed. */
  void executorsChanged() {
    standstill.end();
    groupsByRank.forEach(this::findBudget);
    for (JobSet set : sets) {
      set.findModels(executors.all, serviceTimes);
    }
  }

  private void findBudget(JobGroup group) {
    group.overBudget = executors.isOverBudget(group);
    tokensNeededMinIsStale = true;
    group.tokensNeeded = group.overBudget && settings.cpuFallback() ? Long.MIN_VALUE : group.tokens;
  }

  /**
   * The groups by their keys, found from a job without making a key of it: a look-up for each job
   * that arrives.
   */
  static final class GroupTable {
    /**
     * Groups by hash: a power of two long, at most half full; groups of equal hashes are
     * neighbours.
     */
    private @Nullable JobGroup[] places = new JobGroup[64];

    /** Hashes of the groups' jobs, by place. */
    private int[] hashes = new int[64];

    private int size;

    /** Returns the group of the job; null: there is none yet. */
    @Nullable JobGroup find(JobSpec job) {
      int place = hash(job);
      while (true) {
        JobGroup group = places[place & (places.length - 1)];
        if (group == null || group.key.isOf(job)) {
          return group;
        }
        place++;
      }
    }

    /** Adds the group of a job that was not found. */
    void add(JobSpec job, JobGroup group) {
      if (2 * ++size > places.length) {
        JobGroup[] before = places;
        int[] hashesBefore = hashes;
        places = new JobGroup[2 * before.length];
        hashes = new int[places.length];
        for (int i = 0; i < before.length; i++) {
          if (before[i] != null) {
            put(hashesBefore[i], before[i]);
          }
        }
      }
      put(hash(job), group);
    }

    private void put(int hash, JobGroup group) {
      int place = hash & (places.length - 1);
      while (places[place] != null) {
        place = (place + 1) & (places.length - 1);
      }
      places[place] = group;
      hashes[place] = hash;
    }

    private static int hash(JobSpec job) {
      int hash = 31 * job.classType().hashCode() + job.workload().hashCode();
      hash = 31 * (31 * hash + job.backend().hashCode()) + job.precision().hashCode();
      hash =
          (31 * (31 * hash + job.samples()) + job.lanesNeeded()) * 0x9E3779B9; // spreads it upward
      return hash >>> 16 ^ hash;
    }
  }
}
