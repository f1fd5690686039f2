package dev.sluice.contract.value;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a job was dropped or failed, or why a dispatch was refused. Events and tables hold the {@link
 * #text}. A log may hold texts that are no reason of this build: a failure's own words, or a reason
 * of another version. Records therefore keep the text, and readers ask {@link #is}.
 */
public enum Reason {
  /** Dropped: the job's deadline passed while the job waited. */
  EXPIRED,

  /** Dropped: even the fastest lane would have ended the job after its deadline. */
  HOPELESS,

  /** Dropped: the job needs more memory tokens than any executor has. */
  OVER_BUDGET,

  /** Dropped: as many jobs waited as the shard may hold. */
  QUEUE_FULL,

  /** Dropped: the job had waited as long as a job may wait. */
  WAITED_TOO_LONG,

  /** Dropped: the job still waited when its run was over. */
  RUN_ENDED,

  /** Dropped: the policy gave the job up, for a reason whose word follows. */
  POLICY,

  /** Dropped: no lane can run the job. */
  UNRUNNABLE,

  /** Dropped: a job that this job waited for in its workflow was not done. */
  INPUT_NOT_DONE,

  /** Failed: the lane was lost in the job's last attempt. */
  LANE_LOST,

  /** Refused: the lane holds as many dispatches as it takes. */
  BUSY,

  /** Refused: the dispatch reached its executor after the time at which it had to begin. */
  TOO_LATE,

  /** Refused: the dispatch was meant for an earlier start of the executor. */
  OLDER_INCARNATION,

  /** Refused: the executor has no such lanes, or not the model. */
  UNSUPPORTED;

  private final String text = name().toLowerCase(Locale.ROOT);

  public String text() {
    return text;
  }

  /** The text of a policy's own reason to drop a job: {@code policy: } and the policy's word. */
  public static String ofPolicy(String word) {
    return POLICY.text + ": " + word;
  }

  /** Tells whether the text of an event or a table is this reason. */
  public boolean is(@Nullable String text) {
    return this.text.equals(text)
        || (this == POLICY && text != null && text.startsWith(this.text + ": "));
  }

  @Override
  public String toString() {
    return text;
  }
}
