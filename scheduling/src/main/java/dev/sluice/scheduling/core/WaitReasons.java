package dev.sluice.scheduling.core;

import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.List;

/**
 * The reasons for which a waiting job does not start, as the core stands after a fact.
 *
 * <ul>
 *   <li>CAPABILITY: no present executor can run the job's model on as many lanes as it needs. An
 *       executor is present from its first report until it leaves or its lease expires.
 *   <li>LANE: no present executor that can run the job has the lanes for it. A lane that takes one
 *       more batch beside what it holds counts as free for a job of one lane.
 *   <li>TOKENS: of the executors that can run the job and have the lanes, or of all that can run it
 *       if none has, no executor has as many free tokens as the job needs.
 *   <li>WINDOW: the job's micro-batch set still gathers jobs.
 *   <li>POLICY: none of these reasons holds, so that the job could start, but the policy lets
 *       others go first.
 * </ul>
 *
 * @param causes all causes that hold, in the order above; never empty
 * @param tokensNeeded tokens that the job needs alone; 0 if it runs outside the budget
 * @param tokensFree most tokens that one of the executors that were asked has for it, without
 *     tokens that are reserved for other jobs; {@link Long#MAX_VALUE}: unlimited. 0 if no executor
 *     can run it
 * @param ripeAtNs time at which its set need gather no longer; {@link Long#MIN_VALUE}: it shares no
 *     batch
 */
public record WaitReasons(List<Cause> causes, long tokensNeeded, long tokensFree, long ripeAtNs) {
  /** Causes in the order in which the first counts. */
  public static final List<Cause> ORDER =
      List.of(Cause.CAPABILITY, Cause.LANE, Cause.TOKENS, Cause.WINDOW, Cause.POLICY);

  public WaitReasons {
    causes = List.copyOf(causes);
  }

  /** Returns the cause that counts: the first of those that hold. */
  public Cause first() {
    return causes.get(0);
  }
}
