package dev.sluice.scheduling.policy;

import dev.sluice.scheduling.job.JobClass;
import dev.sluice.scheduling.job.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a policy may know when it chooses: a view of the core's indexes, valid only during one call
 * of {@link SchedulingPolicy#choose}. Nothing in it costs a walk over the waiting jobs, save {@link
 * Group#jobAt}.
 */
public interface SchedulerState {
  /** Log time; never goes backwards. */
  long nowNs();

  /** How many jobs wait. */
  int waiting();

  /** The groups in which a job waits, in an order that depends on their attributes alone. */
  List<? extends Group> groups();

  /**
   * The compatible sets of which a job may start now, in the same order. None is missing; one of
   * them may turn out to hold none, so that {@link #laneFor} has the last word.
   */
  List<? extends CompatibleSet> setsThatMayStart();

  /** The first waiting job by {@link JobOrder#ARRIVAL}, which the policy declared; null: none. */
  @Nullable Job oldest();

  /** All lanes of executors that have not left, by id: executors as they joined, then index. */
  List<? extends Lane> lanes();

  /** Idle lanes, in the order of all lanes; the list is used again for the next choice. */
  List<? extends Lane> idleLanes();

  /**
   * The first idle lane, by id, on which one job of the group may start now: its set is ripe, the
   * executor can run it and has the tokens; for a gang the first of as many idle neighbours as it
   * needs. If there is none, of the lanes that take a batch beside what they hold the one expected
   * free first, though not for a gang. Null: none, see {@link #blockedBy}.
   */
  @Nullable Lane laneFor(Group group);

  /**
   * The lanes of a job of the group that begins on this one: it alone, or for a gang it and the
   * next ones by index.
   *
   * @param first one that {@link #laneFor} gave, or on which {@link #mayStartOn}
   */
  List<? extends Lane> lanesFrom(Lane first, Group group);

  /**
   * Whether one job of the group may start now on this lane, which is idle, and for a gang on the
   * next ones, which are so too. Unlike {@link #laneFor} it knows no batch ahead.
   */
  boolean mayStartOn(Lane first, Group group);

  /** Whether the lane's executor can run the group's model. */
  boolean canRun(Lane lane, Group group);

  /**
   * Where a gang is expected to be able to start first, whatever its lanes hold now: the first of
   * as many neighbours as it needs, at a multiple of their number, on an executor that can run it.
   * Null: no executor has as many lanes.
   */
  @Nullable Lane laneToWaitFor(Group gang);

  /**
   * How long the lane, or of a gang's lanes the slowest, takes to load the group's model before a
   * job of it can start; 0: it holds it, or models are not loaded one by one.
   */
  long switchNs(Lane first, Group group);

  /**
   * Of the groups of a set that may start now, by {@link #laneFor}, the one whose first job comes
   * first by {@link JobOrder#DEADLINE}; null: none may.
   */
  @Nullable Group earliestStartable(CompatibleSet set);

  /** How many jobs of the set may start now, each alone, by {@link #laneFor}. */
  int startable(CompatibleSet set);

  /** Why no job of the group may start now. Defined only while {@link #laneFor} gives null. */
  Choice.Cause blockedBy(Group group);

  /**
   * The answer of a policy that passes over what cannot start, when nothing can. Its cause is the
   * first of tokens, lane, window, capability that holds up some group.
   */
  Choice nothingStartable();

  /**
   * Tokens that a batch of this group may take on the lane's executor now: those that no batch
   * holds, without what is reserved for another group. A job that may run outside the budget may
   * take more.
   */
  long freeTokens(Lane lane, Group group);

  /** Predicted mean service time of a number of samples of the group's model, at least 1 ns. */
  long predictedNs(Group group, int samples, Lane lane);

  /** A uniform 64-bit number, hash(seed, fact, index): equal when asked for twice. */
  long draw();

  /** A waiting job. */
  interface Job {
    JobSpec spec();

    Group group();

    /** The sequence in which the core took its jobs in. */
    long entry();

    /** Intended arrival + latency promise. */
    long deadlineNs();
  }

  /** The waiting jobs of equal class, workload, backend, precision, samples and lanes needed. */
  interface Group {
    JobClass jobClass();

    String workload();

    String backend();

    String precision();

    /** Samples of each of its jobs. */
    int samples();

    /** Lanes that each of its jobs takes at once. */
    int lanesNeeded();

    /** Tokens of one of its jobs alone. */
    long tokens();

    /** How many jobs wait in it. */
    int waiting();

    /** Its first job in an order that the policy declared, any but ARRIVAL. */
    Job first(JobOrder order);

    /** The earliest deadline of its jobs, which the policy reads in that order. */
    long firstDeadlineNs();

    /**
     * What its first job in that order, any but ARRIVAL, is ordered by before ties: a time, or its
     * entry; {@link Long#MAX_VALUE}: none waits.
     */
    long firstKey(JobOrder order);

    /** Its job at a place, from 0, in the declared order; walks there from the nearer end. */
    Job jobAt(int place, JobOrder order);

    /** The jobs that may share a batch with its own. */
    CompatibleSet set();

    /** How many waiting jobs have its workload, its own among them; likewise the next three. */
    int waitingWithWorkload();

    int waitingWithBackend();

    int waitingWithPrecision();

    int waitingWithClass();
  }

  /** The groups of equal class, workload, backend, precision and lanes needed. */
  interface CompatibleSet {
    /** Its groups in which a job waits, in the order of {@link SchedulerState#groups}. */
    List<? extends Group> groups();

    /** How many jobs wait in it, also those too large to share a batch. */
    int waiting();

    /** The fewest tokens of one of its waiting jobs; {@link Long#MAX_VALUE}: none waits. */
    long tokensMin();

    /**
     * The least predicted mean of one of its waiting jobs alone, whatever the lane; {@link
     * Long#MAX_VALUE}: none waits, or none can run.
     */
    long predictedNsMin();

    /** Samples of its waiting jobs that may share a batch. */
    long samples();

    /** The earliest deadline of its waiting jobs; {@link Long#MAX_VALUE}: none waits. */
    long earliestDeadlineNs();

    /**
     * From when on those of its jobs that share a batch may start: the end of the oldest one's
     * window, or at once if the set is full; {@link Long#MAX_VALUE}: none waits that shares.
     */
    long readyAtNs();

    /**
     * The micro-batch of a chosen job on a lane: it first, then others of its set in the order,
     * leaving out those too large for the samples or tokens left. Alone if it shares no batch.
     */
    List<Job> fill(Job first, Lane lane, JobOrder order);

    /**
     * Fills a batch likewise, groups taken by the highest score of their jobs, ties by DEADLINE.
     */
    List<Job> fill(Job first, Lane lane, Score score);
  }

  /** A lane of an executor. */
  interface Lane {
    String executorId();

    /** From 0 within its executor. */
    int index();

    String deviceKind();

    /** Predicted means of all that it holds, together; 0: it holds nothing. */
    long heldNs();

    /** Whether the lane holds nothing and takes a batch. */
    boolean idle();

    /** Whether a batch that it holds, or its executor, was given up: it may never be idle again. */
    boolean hangs();

    /**
     * The workload of the last batch that was started on it, which it holds loaded; null: none was
     * since its executor's process began.
     */
    @Nullable String resident();

    /** When it last became empty; {@link Long#MAX_VALUE} while it holds a batch. */
    long idleSinceNs();

    /**
     * When its first batch came first + predicted means of all that it holds, which may be past;
     * {@link #idleSinceNs} if it holds none.
     */
    long expectedFreeAtNs();
  }

  /** A policy's score of a job on a lane. Within a group the earliest deadline comes first. */
  @FunctionalInterface
  interface Score {
    double of(Job job, Lane lane);
  }
}
