package dev.sluice.scheduling.core;

/** Thrown if a policy's answer broke a rule, a bug of that policy. Nothing of it was applied. */
public final class InvalidChoiceException extends IllegalStateException {
  /** The rules that every answer must keep. */
  public enum Rule {
    /** A batch has at least one job. */
    EMPTY_BATCH,
    /** Each job of a batch waits in this core. */
    UNKNOWN_JOB,
    /** No job is twice in a batch, or in one while it runs already. */
    JOB_ASSIGNED_TWICE,
    /** A batch starts on at least one lane. */
    NO_LANE,
    /** A batch starts on as many lanes as each of its jobs needs. */
    GANG_SIZE,
    /** Several lanes are neighbours of one executor, in the order of their indexes. */
    GANG_NOT_CONSECUTIVE,
    /** The lane is one of this core, of an executor that has not left. */
    UNKNOWN_LANE,
    /** A lane takes a batch if it holds fewer than it may and is not lost; a gang's are idle. */
    LANE_BUSY,
    /** The executor can run the model. */
    CANNOT_RUN,
    /** The batch costs no more than the executor's tokens that are free for its group. */
    TOKENS_EXCEEDED,
    /** Several jobs share a batch only if micro-batching is on, for the classes of all of them. */
    MICROBATCH_NOT_SHARED,
    /** Jobs of a batch have equal workloads, backends, precisions and lanes needed. */
    MICROBATCH_INCOMPATIBLE,
    /** The joined samples of several jobs come to at most max_batch. */
    MICROBATCH_TOO_LARGE,
    /** The chosen job's set is full, or holds a job that has waited its window. */
    MICROBATCH_UNRIPE,
    /** The time after which a batch is too late is not past. */
    NOT_AFTER_IN_PAST,
    /** A batch may begin before it is too late. */
    NOT_BEFORE_TOO_LATE,
    /** A cancelled lane runs one batch of one lane, not lost and started before now. */
    NOTHING_TO_CANCEL,
    /** A wake-up lies after now. */
    WAKE_IN_PAST,
    /** A lane is prepared, in runs whose lanes have a memory, by a policy that declares it. */
    UNSUPPORTED,
    /** A lane loads a model that it does not hold, and that its executor can run. */
    NOTHING_TO_LOAD,
    /** A lane releases a model that it has loaded, and that no batch on it needs. */
    NOTHING_TO_RELEASE,
    /** The models that a lane holds and loads take no more than its memory. */
    MEMORY_EXCEEDED,
    /** A policy that loads models starts batches of models alone that the lane has loaded. */
    MODEL_NOT_LOADED
  }

  private static final long serialVersionUID = 1L;

  private final Rule rule;

  InvalidChoiceException(Rule rule, String policy, String values) {
    super("%s: %s answered %s".formatted(rule, policy, values));
    this.rule = rule;
  }

  public Rule rule() {
    return rule;
  }
}
