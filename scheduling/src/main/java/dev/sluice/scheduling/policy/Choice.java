package dev.sluice.scheduling.policy;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a policy wants to happen next. */
public sealed interface Choice {

  /** The answer where no job waits; the core asks no policy then. */
  Choice NOTHING_WAITS = nothing(Cause.POLICY);

  /** Why nothing starts. */
  enum Cause {
    /** A lane that could run it is there, but none is idle. */
    LANE,
    /** An idle lane could run it, but its executor has too few free tokens. */
    TOKENS,
    /** Its micro-batch set is not ripe. */
    WINDOW,
    /** No executor can run it. */
    CAPABILITY,
    /** The policy does not want to. */
    POLICY
  }

  /**
   * Start a whole batch.
   *
   * @param batch the chosen job first
   * @param lanes as many as each of its jobs needs, all of one executor
   * @param notAfterNs the executor refuses it as too late after this; {@link Long#MAX_VALUE}: no
   *     limit
   * @param scoreTerms the terms of the score, in their order, for the record
   */
  record Start(
      List<SchedulerState.Job> batch,
      List<SchedulerState.Lane> lanes,
      long notAfterNs,
      Map<String, Double> scoreTerms)
      implements Choice {
    public Start {
      batch = List.copyOf(batch);
      lanes = List.copyOf(lanes);
      scoreTerms = ScoreTerms.copyOf(scoreTerms);
    }

    /** Returns this start, to be refused as too late after a time. */
    public Start notAfter(long ns) {
      return new Start(batch, lanes, ns, scoreTerms);
    }

    /** Returns this start with the terms of its score. */
    public Start because(Map<String, Double> terms) {
      return new Start(batch, lanes, notAfterNs, terms);
    }
  }

  /** Change what a lane holds loaded: a dispatch without jobs. Not yet supported by the core. */
  record Prepare(SchedulerState.Lane lane, List<String> load, List<String> release)
      implements Choice {
    public Prepare {
      load = List.copyOf(load);
      release = List.copyOf(release);
    }
  }

  /**
   * Start nothing.
   *
   * @param untilNs ask again then, if no fact came before; after now. {@link Long#MAX_VALUE}: a
   *     fact will come
   */
  record Nothing(Cause cause, long untilNs) implements Choice {
    /** Until a fact changes the state: one for each cause, for it is the commonest answer. */
    private static final Map<Cause, Nothing> BY_CAUSE = new EnumMap<>(Cause.class);

    static {
      for (Cause cause : Cause.values()) {
        BY_CAUSE.put(cause, new Nothing(cause, Long.MAX_VALUE));
      }
    }
  }

  /** Start this whole batch, the chosen job first. */
  static Start start(List<SchedulerState.Job> batch, List<? extends SchedulerState.Lane> lanes) {
    return new Start(batch, List.copyOf(lanes), Long.MAX_VALUE, Map.of());
  }

  /** Change what the lane holds loaded. */
  static Prepare prepare(SchedulerState.Lane lane, List<String> load, List<String> release) {
    return new Prepare(lane, load, release);
  }

  /** Start nothing until a fact changes the state. */
  static Nothing nothing(Cause cause) {
    return requireNonNull(Nothing.BY_CAUSE.get(cause));
  }

  /**
   * Start nothing before that time; replaces the wake-up of any earlier answer. It is forgotten
   * once no job waits or no lane takes a batch: the policy is asked anew after the fact that
   * changes it.
   */
  static Nothing nothingUntil(long ns, Cause cause) {
    return new Nothing(cause, ns);
  }
}
