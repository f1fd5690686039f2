package dev.sluice.scheduler.explain;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
  /** What happens to a job during a span. */
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

  /** Returns the cause that counts; null: it did not wait. */
  @JsonProperty
  public @Nullable Cause cause() {
    return causes.isEmpty() ? null : causes.get(0);
  }

  /** Returns the other causes; null: it did not wait. */
  @JsonProperty
  @Nullable List<Cause> also() {
    return causes.isEmpty() ? null : causes.subList(1, causes.size());
  }

  public long durationNs() {
    return toNs - fromNs;
  }

  /** Returns whether the other span is alike, but for its times. */
  boolean isLike(Span other) {
    return kind == other.kind
        && causes.equals(other.causes)
        && Objects.equals(dispatch, other.dispatch);
  }
}
