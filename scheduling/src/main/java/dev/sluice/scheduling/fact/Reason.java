package dev.sluice.scheduling.fact;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for which the core drops or fails a job, or a lane refuses a dispatch. {@link
 * JobEnd#reason} holds the {@link #text}, or the words of the failure that a lane reported.
 */
public enum Reason {
  /** The job's deadline has passed. */
  EXPIRED,

  /** Even the fastest lane would end the job after its deadline. */
  HOPELESS,

  /** The job needs more tokens than any executor has. */
  OVER_BUDGET,

  /** As many jobs wait as may wait. */
  QUEUE_FULL,

  /** The job has waited as long as a job may wait. */
  WAITED_TOO_LONG,

  /** The job still waited after the last arrivals. */
  RUN_ENDED,

  /** No lane can run the job. */
  UNRUNNABLE,

  /** A job that this job waited for in its workflow was not done. */
  INPUT_NOT_DONE,

  /** The lane was lost in the job's last attempt. */
  LANE_LOST,

  /** Refused: the lane holds as many batches as it takes. */
  BUSY,

  /** Refused: the dispatch came after the time at which it had to begin. */
  TOO_LATE;

  private static final Map<String, Reason> BY_TEXT =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(Reason::text, Function.identity()));

  private final String text = name().toLowerCase(Locale.ROOT);

  /** Returns the reason's text in facts and ends. */
  public String text() {
    return text;
  }

  /** Returns whether the text of a fact or an end is this reason. */
  public boolean is(@Nullable String text) {
    return this.text.equals(text);
  }

  /** Returns the reason of a text; null if the text is no reason of the core. */
  public static @Nullable Reason ofOrNull(@Nullable String text) {
    return text == null ? null : BY_TEXT.get(text);
  }
}
