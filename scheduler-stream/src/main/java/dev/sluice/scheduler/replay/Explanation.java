package dev.sluice.scheduler.replay;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job's timeline. The names and the order of all fields are those of the JSON that {@code explain
 * --json} prints. A job of a workflow has the times and the promise of its workflow.
 *
 * @param sloNs latency promise; null: none
 * @param status null: the log does not hold its end
 * @param attemptsCounted number of dispatches, refusals not counted
 * @param loggedNs log time of the request
 * @param endedNs end of its batch if done, else the log time of the fact that ended it, else of the
 *     last fact; a log time before it was sent counts as the time when it was sent
 * @param toldNs append of its outcome; null: the log does not hold it
 * @param latencyNs time from the intended arrival to the end; until the log's end if it has none
 * @param spans its parts, in order; they sum up to the latency
 * @param tokens tokens for which its waits asked; null: it never waited for them
 * @param inputs jobs that a job of a workflow waited for; null: none
 * @param overtakenBy jobs that came later and started earlier, while it waited, on an executor that
 *     could have run it; in order
 * @param attempts its dispatches, in order
 * @param differences what the recorded decisions about the job say otherwise than the decisions
 *     made again; empty if they agree
 */
public record Explanation(
    String job,
    int shard,
    @JsonProperty("class") String classType,
    String workload,
    String backend,
    String precision,
    int samples,
    int lanes,
    @Nullable Long sloNs,
    JobEnded.@Nullable Status status,
    @Nullable String reason,
    int attemptsCounted,
    long intendedNs,
    long sentNs,
    long loggedNs,
    long endedNs,
    @Nullable Long toldNs,
    long latencyNs,
    List<Span> spans,
    @Nullable Tokens tokens,
    @Nullable Inputs inputs,
    List<Overtaking> overtakenBy,
    List<Attempt> attempts,
    List<String> differences) {

  /**
   * The tokens that a job waited for.
   *
   * @param needed tokens that it takes alone
   * @param freeMost most tokens that it could have had at once while it waited for them
   */
  public record Tokens(long needed, long freeMost) {}

  /**
   * What a job of a workflow waited for.
   *
   * @param releasedNs log time; null: it never was
   * @param ended ends of its inputs, in order; the last one let the job go or ended it
   */
  public record Inputs(int count, @Nullable Long releasedNs, List<InputEnd> ended) {}

  /** The end of an input, with its log time. */
  public record InputEnd(
      String job, JobEnded.Status status, @Nullable String reason, long endedNs) {}

  /**
   * A job that overtook it.
   *
   * @param chosen whether the policy chose it, rather than taking it along
   * @param scoreTerms terms for which the policy chose it; empty if it came along with another job,
   *     or the policy has no score
   */
  public record Overtaking(
      String job,
      @JsonProperty("class") String classType,
      DispatchId dispatch,
      long atNs,
      boolean chosen,
      Map<String, Double> scoreTerms) {}

  /**
   * A dispatch of the job.
   *
   * @param with other jobs of the batch
   * @param couldShare number of other waiting jobs that could share a batch with the job at the
   *     decision, those of this batch included
   * @param samples samples of all jobs together
   * @param predictedNs service time predicted at the decision
   * @param scoreTerms terms of the score of the batch's chosen job; may be empty
   * @param untilNs log time at which it left the job or ended it; null: the log ends before
   * @param givenUpNs log time at which the scheduler gave it up; null: it did not
   * @param startedNs start that the executor told; null: none
   * @param loadNs time of loading the model before the start
   * @param cause reason for which its batch failed or was refused; null: neither
   */
  public record Attempt(
      DispatchId dispatch,
      String executor,
      List<Integer> lanes,
      List<String> with,
      int couldShare,
      int samples,
      long decidedNs,
      long predictedNs,
      @Nullable Long predictedP95Ns,
      String predictionSource,
      Map<String, Double> scoreTerms,
      Outcome outcome,
      @Nullable Long untilNs,
      @Nullable Long givenUpNs,
      @Nullable Long startedNs,
      @Nullable Long finishedNs,
      @Nullable Long serviceNs,
      @Nullable Long loadNs,
      @Nullable String cause) {}

  /** What became of the job in an attempt. */
  public enum Outcome {
    DONE,
    FAILED,
    REFUSED,
    /** The lane or its executor was given up. */
    LOST,
    /** Another attempt, which had been given up, ended the job first. */
    SUPERSEDED,
    /** The log ends before the attempt does. */
    OPEN
  }

  /**
   * A part of a job's life. The spans of a job follow each other without a gap, and sum up to its
   * latency.
   *
   * @param causes why it waited, the one that counts first; empty unless it waited
   * @param dispatch dispatch that held the job; null if none did
   */
  @JsonPropertyOrder({"kind", "cause", "also"})
  public record Span(
      Kind kind,
      @JsonIgnore List<Cause> causes,
      @Nullable DispatchId dispatch,
      long fromNs,
      long toNs) {
    public enum Kind {
      /** The job was meant to be sent, and its generator had not sent it. */
      LATE,
      /** The job was sent, and its log had not taken it. */
      TO_LOG,
      /** The job's workflow had come, and inputs of the job were not done. */
      INPUTS,
      /** The job waited in the scheduler. */
      WAITS,
      /** A dispatch held the job, and its batch had not started. */
      TO_START,
      /** The lane loaded the batch's model; counted directly before the start. */
      LOADS,
      /** The batch ran. */
      RUNS,
      /** The batch had ended, and the scheduler did not know. */
      REPORTS,
      /** A dispatch held the job, and it never told of a start. */
      HELD
    }

    @JsonProperty
    public @Nullable Cause cause() {
      return causes.isEmpty() ? null : causes.get(0);
    }

    @JsonProperty
    @Nullable List<Cause> also() {
      return causes.isEmpty() ? null : causes.subList(1, causes.size());
    }

    public long durationNs() {
      return toNs - fromNs;
    }

    /** Returns whether another span differs at most in its times. */
    boolean isLike(Span other) {
      return kind == other.kind
          && causes.equals(other.causes)
          && Objects.equals(dispatch, other.dispatch);
    }
  }
}
