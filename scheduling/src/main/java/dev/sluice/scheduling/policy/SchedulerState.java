package dev.sluice.scheduling.policy;

import dev.sluice.contract.value.ModelKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state that a policy sees when it chooses: a view of the core's indexes, valid only during one
 * call of {@link SchedulingPolicy#choose}. No method walks over the waiting jobs.
 */
public interface SchedulerState {
  /** Returns log time, which never goes backwards. */
  long nowNs();

  int waiting();

  /**
   * Returns the groups in which a job waits, in an order that depends on their attributes alone.
   */
  List<? extends Group> groups();

  /** Returns the compatible sets in which a job waits, in the order of {@link #groups}. */
  List<? extends CompatibleSet> sets();

  /**
   * Returns the compatible sets that a job has ever joined, in the order of {@link #groups}. The
   * policy must declare {@link SchedulingPolicy.Need#RATES}.
   */
  List<? extends CompatibleSet> allSets();

  /** Returns a number of the policy's {@link Memory}; the other one if there is none. */
  double remembered(String name, double otherwise);

  /** Returns the numbers of the policy's {@link Memory} whose names begin so, by name. */
  Map<String, Double> rememberedWithPrefix(String prefix);

  /**
   * Returns compatible sets in the order of {@link #groups}. No set is missing of which a job may
   * start now; whether a returned one is such a set, {@link #mayStart} tells.
   */
  List<? extends CompatibleSet> setsThatMayStart();

  /**
   * Returns false only if no job of the set can start now. If true, it may still hold no job that
   * can start: {@link #laneFor} decides.
   */
  boolean mayStart(CompatibleSet set);

  /** Returns the first waiting job by ARRIVAL, which the policy must declare; null: none waits. */
  @Nullable Job oldest();

  /**
   * Returns all lanes of executors that have not left, by id: executors as they joined, then index.
   */
  List<? extends Lane> lanes();

  /**
   * Returns the idle lanes, in the order of all lanes; the list is used again for the next choice.
   */
  List<? extends Lane> idleLanes();

  /**
   * Returns the first idle lane, by id, on which one job of the group may start now: the job's set
   * is ripe, and the executor can run the job and has the tokens. For a gang this is the first of
   * as many idle neighbours as it needs. If no idle lane will do, returns for any job but a gang
   * the lane that is expected to be free first among busy lanes that take one more batch. Null if
   * there is no lane; {@link #blockedBy} says why.
   */
  @Nullable Lane laneFor(Group group);

  /**
   * Returns the lanes of a job of the group that begins on a lane: that lane alone, or for a gang
   * also the next lanes by index.
   *
   * @param first lane that {@link #laneFor} gave, or for which {@link #mayStartOn} is true
   */
  List<? extends Lane> lanesFrom(Lane first, Group group);

  /**
   * Returns whether one job of the group may start now on a lane if it is idle, and for a gang on
   * the next lanes if they are idle too. Unlike {@link #laneFor} this considers no batch ahead.
   */
  boolean mayStartOn(Lane first, Group group);

  default boolean canRun(Lane lane, Group group) {
    return canRun(lane, group.set());
  }

  boolean canRun(Lane lane, CompatibleSet set);

  /**
   * Returns the lane on which a gang is expected to be able to start first, whatever its lanes hold
   * now: the first of as many neighbours as the gang needs, at a multiple of their number, on an
   * executor that can run it. Null if no executor has as many lanes.
   */
  @Nullable Lane laneToWaitFor(Group gang);

  /**
   * Returns how long the lane, or the slowest of a gang's lanes, takes to load the group's model
   * before a job of the group can start; 0 if the lane holds the model, or if models are not loaded
   * one by one.
   */
  long switchNs(Lane first, Group group);

  /** Returns whether the lane holds the set's model, loaded to the end. */
  boolean isLoaded(CompatibleSet set, Lane lane);

  /** Returns what the lane holds of the set's model, which it may still load; null: nothing. */
  @Nullable Resident resident(CompatibleSet set, Lane lane);

  /** Returns how long the lane takes to load the set's model; 0 where lanes hold all models. */
  long loadNs(CompatibleSet set, Lane lane);

  /** Returns the lane's memory that the set's model takes; 0 where lanes hold all models. */
  long memoryBytes(CompatibleSet set, Lane lane);

  /**
   * Returns, of the groups of a set that may start now by {@link #laneFor}, the group whose first
   * job comes first; null if none may start.
   *
   * @param order any but ARRIVAL, which the policy must declare
   */
  @Nullable Group firstStartable(CompatibleSet set, JobOrder order);

  /** Returns why no job of the group may start now, while {@link #laneFor} gives null. */
  Choice.Cause blockedBy(Group group);

  /**
   * Returns the answer, if nothing can start, of a policy that passes over jobs that cannot. Its
   * cause is the first of tokens, lane, window and capability that holds up some group.
   */
  Choice nothingStartable();

  /**
   * Returns the predicted mean service time of a number of samples of the group's model, at least 1
   * ns.
   */
  default long predictedNs(Group group, int samples, Lane lane) {
    return predictedNs(group.set(), samples, lane);
  }

  /** Returns the predicted mean service time likewise, for the model of a set. */
  long predictedNs(CompatibleSet set, int samples, Lane lane);

  /**
   * Returns the upper bound of the service time by the run's {@code predictor.quantile}; the mean
   * where no bound is known.
   */
  long boundNs(CompatibleSet set, int samples, Lane lane);

  /**
   * Returns the largest number of samples, up to the set's {@link CompatibleSet#samplesMax}, whose
   * batch takes at most a time by the predicted mean; 0 if not even one sample does. Means are
   * taken to rise with the samples.
   */
  int largestWithin(CompatibleSet set, Lane lane, long ns);

  /** Returns likewise by the upper bound, {@link #boundNs}. */
  int largestWithinBound(CompatibleSet set, Lane lane, long ns);

  /**
   * Returns a uniform 64-bit number, hash(seed, fact, index); two calls for one choice give equal
   * numbers.
   */
  long draw();

  interface Job {
    JobSpec spec();

    Group group();

    /** Returns the job's place in the sequence in which the core took its jobs in. */
    long entry();

    /** Returns intended arrival + latency promise. */
    long deadlineNs();
  }

  /** A thing of one model: a workload on a backend in a precision. */
  interface OfModel {
    ModelKey model();

    default String workload() {
      return model().workload();
    }

    default String backend() {
      return model().backend();
    }

    default String precision() {
      return model().precision();
    }

    default boolean hasModelOf(OfModel that) {
      return model().equals(that.model());
    }
  }

  /** The waiting jobs of equal class, workload, backend, precision, samples and lanes needed. */
  interface Group extends OfModel {
    JobClass jobClass();

    /** Returns the number of samples of each of its jobs. */
    int samples();

    /** Returns the number of lanes that each of its jobs takes at once. */
    int lanesNeeded();

    /** Returns the tokens of one of its jobs alone. */
    long tokens();

    int waiting();

    /** Returns its first job in an order that the policy declared, any but ARRIVAL. */
    Job first(JobOrder order);

    /**
     * Returns the value by which its first job is ordered before ties, in any order but ARRIVAL: a
     * time, or the job's entry; {@link Long#MAX_VALUE} if none waits.
     */
    long firstKey(JobOrder order);

    /** Returns its job at a place, from 0, in a declared order. */
    Job jobAt(int place, JobOrder order);

    /** Returns the set of the jobs that may share a batch with its own. */
    CompatibleSet set();
  }

  /** The groups of equal class, workload, backend, precision and lanes needed. */
  interface CompatibleSet extends OfModel {
    JobClass jobClass();

    /** Returns its groups in which a job waits, in the order of {@link SchedulerState#groups}. */
    List<? extends Group> groups();

    /** Returns how many of its jobs wait, including jobs too large to share a batch. */
    int waiting();

    /** Returns how many waiting jobs share its attribute, those of other sets included. */
    int waitingWith(Attribute attribute);

    /**
     * Returns the fewest tokens of one of its waiting jobs; {@link Long#MAX_VALUE} if none waits.
     */
    long tokensMin();

    /**
     * Returns the least predicted mean of one of its waiting jobs alone, whatever the lane; {@link
     * Long#MAX_VALUE}: none waits, or none can run.
     */
    long predictedNsMin();

    /** Returns the number of samples of its waiting jobs that may share a batch. */
    long samples();

    /**
     * Returns the value by which its first waiting job is ordered before ties; {@link
     * Long#MAX_VALUE} if none waits.
     *
     * @param order any but ARRIVAL, which the policy must declare
     */
    long firstKey(JobOrder order);

    /**
     * Returns the time from which its jobs that share batches may start: the end of the oldest such
     * job's window, or at once if the set is full; {@link Long#MAX_VALUE} if no such job waits.
     */
    long readyAtNs();

    /**
     * Returns the micro-batch of a chosen job on a lane: the chosen job, then other jobs of its set
     * in the given order, without jobs too large for the samples or tokens left. The chosen job is
     * alone if it shares no batch.
     */
    default List<Job> fill(Job first, Lane lane, JobOrder order) {
      return fill(first, lane, order, samplesMax());
    }

    /**
     * Returns the micro-batch of a chosen job in the given order, of a size that the policy chose.
     *
     * @param samplesMax most samples, at most {@link #samplesMax}; the chosen job is in the batch
     *     in any case
     */
    List<Job> fill(Job first, Lane lane, JobOrder order, int samplesMax);

    /**
     * Returns a walk over all its waiting jobs, in an order that the policy declared, any but
     * ARRIVAL. One walk of a set is used again for the next one.
     */
    Walk walk(JobOrder order);

    /** Returns a walk likewise, from the last job to the first. */
    Walk walkBack(JobOrder order);

    /**
     * Returns the most samples of a batch of several jobs: the model's limit, or that of all
     * models; 1 if its jobs share no batch. A job of more samples runs alone.
     */
    int samplesMax();

    /** Returns the batch sizes that the experiment prefers for the model, ascending. */
    List<Integer> preferredSamples();

    /**
     * Returns the rate at which jobs of the set arrived in the last five seconds, in spans of 50 ms
     * that are over; NaN as long as no span is over since the first arrival. The policy must
     * declare {@link SchedulingPolicy.Need#RATES}.
     */
    double arrivalsPerSecond();

    /** Returns the latency promise of the job that came to the set first. */
    long promiseNs();

    /** Returns a name of the set, unique among sets and without meaning. */
    String name();

    /**
     * Returns the micro-batch of a chosen job likewise; groups are taken by the highest score of
     * their jobs, ties by DEADLINE.
     */
    List<Job> fill(Job first, Lane lane, Score score);
  }

  /** What jobs of several sets may have in common. */
  enum Attribute {
    WORKLOAD,
    BACKEND,
    PRECISION,
    CLASS
  }

  interface Walk {
    /** Returns the next job; null: there is none. */
    @Nullable Job next();
  }

  /** A batch that a lane runs, or is about to run. */
  interface Running {
    CompatibleSet set();

    /** Returns its jobs that have not ended. */
    List<? extends Job> jobs();

    int samples();

    long decidedAtNs();
  }

  interface Resident extends OfModel {
    long bytes();

    /** Returns whether the lane has loaded it to the end. */
    boolean isLoaded();

    /** Returns whether a batch on the lane needs it. */
    boolean isInUse();
  }

  interface Lane {
    /**
     * Returns the models in its memory, the one that was not used for longest first; empty where
     * lanes hold all models.
     */
    List<? extends Resident> residents();

    /** Returns its memory that no model takes; {@link Long#MAX_VALUE} where lanes hold all. */
    long freeBytes();

    String executorId();

    /** Returns the index within the executor, from 0. */
    int index();

    String deviceKind();

    /** Returns the sum of the predicted means of the batches that it holds; 0 if it holds none. */
    long heldNs();

    /** Returns the batch that it runs or is about to run first; null: it holds none. */
    @Nullable Running running();

    /** Returns whether it runs a batch that can be cancelled and is not being cancelled. */
    boolean mayCancel();

    /** Returns whether the lane holds nothing and takes a batch. */
    boolean idle();

    /**
     * Returns whether the lane's executor or one of its batches was given up, so that it may never
     * be idle again.
     */
    boolean hangs();

    /**
     * Returns the workload of the last batch that was started on the lane, whose model it holds;
     * null if none was started since the executor's process began.
     */
    @Nullable String resident();

    /** Returns when the lane last became empty; {@link Long#MAX_VALUE} while it holds a batch. */
    long idleSinceNs();

    /**
     * Returns the time at which its first batch came first + the predicted means of all batches
     * that it holds, which may be past; {@link #idleSinceNs} if it holds none.
     */
    long expectedFreeAtNs();
  }

  /** A policy's score of a job on a lane. Within a group the earliest deadline comes first. */
  @FunctionalInterface
  interface Score {
    double of(Job job, Lane lane);
  }
}
