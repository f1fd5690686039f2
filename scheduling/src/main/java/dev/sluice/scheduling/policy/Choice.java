package dev.sluice.scheduling.policy;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A policy's answer: what happens next. */
public sealed interface Choice {

  /** Answer if no job waits, in which case the core does not ask the policy. */
  Choice NOTHING_WAITS = nothing(Cause.POLICY);

  /** The causes for which nothing starts. */
  enum Cause {
    /** There are lanes that could run the job, but none is idle. */
    LANE,
    /** An idle lane could run the job, but its executor has too few free tokens. */
    TOKENS,
    /** The job's micro-batch set is not ripe. */
    WINDOW,
    /** No executor can run the job. */
    CAPABILITY,
    /** The policy holds the job back. */
    POLICY
  }

  /**
   * Start a whole batch.
   *
   * @param batch the chosen job first
   * @param lanes lanes of one executor, as many as each of the jobs needs
   * @param notAfterNs time after which the executor refuses the batch as too late; {@link
   *     Long#MAX_VALUE}: no limit
   * @param notBeforeNs time before which the lane, though it is taken, does not begin the batch;
   *     {@link Long#MIN_VALUE}: at once
   * @param scoreTerms terms of the score, in their order, for the record
   */
  record Start(
      List<SchedulerState.Job> batch,
      List<SchedulerState.Lane> lanes,
      long notAfterNs,
      long notBeforeNs,
      Map<String, Double> scoreTerms)
      implements Choice {
    public Start {
      batch = List.copyOf(batch);
      lanes = List.copyOf(lanes);
      scoreTerms =
          scoreTerms.isEmpty()
              ? Map.of()
              : Collections.unmodifiableMap(new LinkedHashMap<>(scoreTerms)); // in their order
    }

    /** Returns this start, to be refused as too late after a time. */
    public Start notAfter(long ns) {
      return new Start(batch, lanes, ns, notBeforeNs, scoreTerms);
    }

    /** Returns this start, with its lane taken now and the batch begun at a time. */
    public Start notBefore(long ns) {
      return new Start(batch, lanes, notAfterNs, ns, scoreTerms);
    }

    public Start because(Map<String, Double> terms) {
      return new Start(batch, lanes, notAfterNs, notBeforeNs, terms);
    }
  }

  /**
   * Drop waiting jobs, which must never be served any more; the policy is asked again.
   *
   * @param word policy's own word for why, which the jobs' reason holds
   */
  record Drop(List<SchedulerState.Job> jobs, String word) implements Choice {
    public Drop {
      jobs = List.copyOf(jobs);
    }
  }

  /**
   * Cancel the batch that a lane runs: its jobs wait again, the lane counts as idle, and the policy
   * is asked again. Until its next start that lane alone takes a batch. The cancellation is part of
   * that start, and void if there is none.
   */
  record Cancel(SchedulerState.Lane lane) implements Choice {}

  /**
   * Change what a lane holds in its memory: a dispatch without jobs; the policy is asked again. It
   * must declare {@link SchedulingPolicy.Need#RESIDENCY}.
   *
   * @param load sets whose models the lane is to load, one after the other
   * @param release models that it releases before, which it has loaded and no batch of it needs
   */
  record Prepare(
      SchedulerState.Lane lane,
      List<SchedulerState.CompatibleSet> load,
      List<SchedulerState.Resident> release)
      implements Choice {
    public Prepare {
      load = List.copyOf(load);
      release = List.copyOf(release);
    }
  }

  /**
   * Start nothing.
   *
   * @param untilNs time after now at which to ask again, if no fact came before; {@link
   *     Long#MAX_VALUE}: ask after the next fact
   */
  record Nothing(Cause cause, long untilNs) implements Choice {
    /** Answers without a time, one object for each cause, since they are the most frequent ones. */
    private static final Map<Cause, Nothing> BY_CAUSE = new EnumMap<>(Cause.class);

    static {
      for (Cause cause : Cause.values()) {
        BY_CAUSE.put(cause, new Nothing(cause, Long.MAX_VALUE));
      }
    }
  }

  static Start start(List<SchedulerState.Job> batch, List<? extends SchedulerState.Lane> lanes) {
    return new Start(batch, List.copyOf(lanes), Long.MAX_VALUE, Long.MIN_VALUE, Map.of());
  }

  static Drop drop(List<SchedulerState.Job> jobs, String word) {
    return new Drop(jobs, word);
  }

  static Cancel cancel(SchedulerState.Lane lane) {
    return new Cancel(lane);
  }

  /** Have the lane release some models, and then load that of a set. */
  static Prepare prepare(
      SchedulerState.Lane lane,
      SchedulerState.CompatibleSet load,
      List<? extends SchedulerState.Resident> release) {
    return new Prepare(lane, List.of(load), List.copyOf(release));
  }

  static Nothing nothing(Cause cause) {
    return requireNonNull(Nothing.BY_CAUSE.get(cause));
  }

  /**
   * Start nothing before a time, which replaces the wake-up of any earlier answer. The time is
   * forgotten once no job waits or no lane takes a batch: the policy is asked again after the fact
   * that changes this.
   */
  static Nothing nothingUntil(long ns, Cause cause) {
    return new Nothing(cause, ns);
  }
}
