package dev.sluice.scheduler.explain;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job's life.
 *
 * @param spans its parts, in order; they sum up to {@link #latencyNs}
 * @param tokens what its waits for tokens asked for; null: it never waited for them
 * @param attempts its dispatches, in order
 * @param overtaking jobs that came later and started earlier, while it waited, on an executor that
 *     could have run it; in order
 * @param differences what the recorded decisions about the job say otherwise than the decisions
 *     made again; empty if they agree
 */
public record Explanation(
    Asked asked,
    @Nullable Inputs inputs,
    Ending ending,
    List<Span> spans,
    @Nullable Tokens tokens,
    List<Attempt> attempts,
    List<Overtaking> overtaking,
    List<String> differences) {
  public Explanation {
    spans = List.copyOf(spans);
    attempts = List.copyOf(attempts);
    overtaking = List.copyOf(overtaking);
    differences = List.copyOf(differences);
  }

  /** Returns the time from the intended arrival to the end; until the log's end if it has none. */
  public long latencyNs() {
    return ending.endedAtNs() - asked.intendedAtNs();
  }

  /**
   * What was asked for. A job of a workflow has the times and the promise of its workflow.
   *
   * @param shard partition of its request
   * @param sloNs latency promise; null: none
   * @param loggedAtNs log time of the request
   */
  public record Asked(
      String jobId,
      int shard,
      String classType,
      ModelKey model,
      int samples,
      int lanes,
      @Nullable Long sloNs,
      long intendedAtNs,
      long sentAtNs,
      long loggedAtNs) {}

  /**
   * What a job of a workflow waited for.
   *
   * @param count number of its inputs
   * @param ends ends of these jobs, in order; the last one let the job go or ended it
   * @param releasedAtNs log time at which the job was released; null: it never was
   */
  public record Inputs(int count, List<InputEnd> ends, @Nullable Long releasedAtNs) {
    public Inputs {
      ends = List.copyOf(ends);
    }
  }

  /** The end of an input: the job, how it ended, and the log time. */
  public record InputEnd(
      String jobId, JobEnded.Status status, @Nullable String reason, long endedAtNs) {}

  /**
   * The tokens that a job waited for.
   *
   * @param needed tokens that it takes alone
   * @param freeMost most tokens that it could have had at once while it waited for them
   */
  public record Tokens(long needed, long freeMost) {}

  /**
   * How a job ended.
   *
   * @param status null: the log does not hold its end
   * @param reason why it was dropped or failed; null if done or not ended
   * @param attempts number of dispatches, refusals not counted
   * @param endedAtNs end of its batch if done, else the log time of the fact that ended it, else of
   *     the last fact; a log time before it was sent counts as the time when it was sent
   * @param toldAtNs append of its outcome; null: the log does not hold it
   */
  public record Ending(
      JobEnded.@Nullable Status status,
      @Nullable String reason,
      int attempts,
      long endedAtNs,
      @Nullable Long toldAtNs) {}

  /**
   * A dispatch of the job.
   *
   * @param prediction service time predicted at the decision
   * @param scoreTerms terms of the score of the batch's chosen job; may be empty
   */
  public record Attempt(
      DispatchId dispatchId,
      Batch batch,
      long decidedAtNs,
      Prediction prediction,
      Map<String, Double> scoreTerms,
      Result result) {

    public Outcome outcome() {
      return result.outcome;
    }

    Attempt with(Result newResult) {
      return new Attempt(dispatchId, batch, decidedAtNs, prediction, scoreTerms, newResult);
    }

    /**
     * The batch of the dispatch, and where it runs.
     *
     * @param others other jobs of the batch
     * @param couldShare number of other waiting jobs that could share a batch with the job at the
     *     decision, those of this batch included
     * @param samples samples of all jobs together
     */
    public record Batch(
        String executorId, List<Integer> lanes, List<String> others, int couldShare, int samples) {
      public Batch {
        lanes = List.copyOf(lanes);
        others = List.copyOf(others);
      }
    }

    /**
     * What came of the dispatch.
     *
     * @param toNs log time at which it left the job or ended it; null: the log ends before
     * @param givenUpAtNs log time at which the scheduler gave it up; null: it did not
     * @param completion what the executor told of it; null: nothing
     */
    public record Result(
        Outcome outcome,
        @Nullable Long toNs,
        @Nullable Long givenUpAtNs,
        @Nullable BatchCompleted completion) {
      static final Result OPEN = new Result(Outcome.OPEN, null, null, null);

      Result completed(BatchCompleted by) {
        return new Result(outcome, toNs, givenUpAtNs, by);
      }

      Result ended(Outcome newOutcome, long atNs) {
        return new Result(
            newOutcome,
            atNs,
            newOutcome == Outcome.LOST ? Long.valueOf(atNs) : givenUpAtNs,
            completion);
      }
    }

    /** What became of the job in this attempt. */
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
  }

  /**
   * A job that overtook it.
   *
   * @param scoreTerms terms for which the policy chose it; empty if it came along with another job,
   *     or the policy has no score
   * @param chosen whether the policy chose it, rather than taking it along
   */
  public record Overtaking(
      String jobId,
      String classType,
      DispatchId dispatchId,
      long atNs,
      Map<String, Double> scoreTerms,
      boolean chosen) {}

  /** Returns how long the job waited for each first cause. */
  public Map<Cause, Long> waitNs() {
    Map<Cause, Long> waits = new EnumMap<>(Cause.class);
    for (Span span : spans) {
      if (span.kind() == Span.Kind.WAITS) {
        waits.merge(span.causes().get(0), span.durationNs(), Long::sum);
      }
    }
    return waits;
  }
}
