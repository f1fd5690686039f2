package dev.sluice.scheduling.policy;

import java.util.Map;
import java.util.Set;

/** Chooses what happens next. It chooses only; the caller checks, starts, waits and records. */
public interface SchedulingPolicy {
  /**
   * Returns one batch to start and where, or nothing, or nothing until a time, with the cause.
   * Asked after every fact while a job waits and a lane takes a batch, and again after each start
   * until it has nothing. Equal states must give equal answers; the caller checks each answer and
   * names the broken rule.
   */
  Choice choose(SchedulerState state);

  /**
   * Returns the terms of the score of a waiting job that may start on a lane: of such jobs the one
   * whose terms have the highest sum starts first. For inspection; no decision reads it. Empty: the
   * policy orders jobs by no score.
   */
  default Map<String, Double> scoreTerms(
      SchedulerState state, SchedulerState.Job job, SchedulerState.Lane lane) {
    return Map.of();
  }

  /** Returns what this policy reads. The state keeps no order that no policy declares. */
  Needs needs();

  /**
   * Returns whether this policy is work-conserving: no lane stays idle while a waiting job could
   * start on it. Tests hold each policy that says so to it. Default: it promises nothing, and may
   * keep a lane idle by its own choice.
   */
  default boolean isWorkConserving() {
    return false;
  }

  /**
   * Takes in what happened, for policies that declare {@link Need#MEMORY}: called after each fact
   * and after each applied choice. A policy object itself keeps nothing; what must outlast a choice
   * stands in the memory, which snapshots hold.
   */
  default void remember(Memory memory, Happening what, SchedulerState state) {}

  /** Returns the version of what the memory holds; another version's memory is not taken over. */
  default int memoryVersion() {
    return 1;
  }

  /** What a policy reads, or does beside starting batches. */
  enum Need {
    /** Every job must have a latency promise. */
    DEADLINES,
    /** Predicted service times. */
    ESTIMATES,
    /**
     * {@link SchedulerState#boundNs} as a bound: a run whose predictor is off, and which knows
     * means alone, is refused.
     */
    BOUNDS,
    /** Tokens are kept for jobs that the policy passes over for too long. */
    RESERVATIONS,
    /**
     * The policy joins jobs by itself, at sizes and times of its own choice: there is no
     * micro-batch window, and time is as fine as the facts' senders noted it.
     */
    JOINING,
    /** The policy drops jobs, so it is asked also while no lane takes a batch. */
    DROPPING,
    /** The policy cancels running batches, so it is asked also while no lane takes a batch. */
    CANCELLING,
    /**
     * The policy loads and releases models by itself, where lanes have a memory below the sum of
     * the models, and starts batches of models alone that a lane holds; it is asked also while no
     * lane takes a batch. For any other policy the core loads a model when a batch needs it, and
     * releases those that were not used for longest.
     */
    RESIDENCY,
    /** A memory, kept by {@link #remember}. */
    MEMORY,
    /** {@link SchedulerState.CompatibleSet#arrivalsPerSecond}. */
    RATES,
    /** Jobs of all classes that run one model form one compatible set. */
    SETS_OF_ALL_CLASSES
  }

  /**
   * The inputs that a policy reads; a run that lacks one of them is refused before it starts.
   *
   * @param orders orders in which it reads the waiting jobs; batches may be filled by ENTRY without
   *     declaring it
   */
  record Needs(Set<JobOrder> orders, Set<Need> others) {
    public Needs {
      orders = Set.copyOf(orders);
      others = Set.copyOf(others);
    }

    /** Returns the needs of a policy that reads jobs in one order. */
    public static Needs of(JobOrder order, Need... others) {
      return new Needs(Set.of(order), Set.of(others));
    }

    public boolean has(Need need) {
      return others.contains(need);
    }
  }

  /** What a policy with a memory is told of. */
  sealed interface Happening {
    /** A fact was taken in, whatever it was; time may have passed. */
    record TimePassed() implements Happening {
      public static final TimePassed INSTANCE = new TimePassed();
    }

    /**
     * A batch was done; told before {@link TimePassed} of the fact that said so.
     *
     * @param lane first lane that ran the batch
     * @param set name of the compatible set that the batch was of
     * @param samples inputs of all of its jobs
     * @param serviceNs measured service time
     * @param hopNs time from the decision until the lane began with it, loading left out
     * @param sloNs shortest latency promise of its jobs that had not ended
     */
    record Completed(
        SchedulerState.Lane lane, String set, int samples, long serviceNs, long hopNs, long sloNs)
        implements Happening {}

    /** A choice of the policy was applied. */
    record Applied(Choice choice) implements Happening {}
  }
}
