package dev.sluice.contract.event;

import java.util.Locale;

/**
 * Lanes of a shard stood idle while work waited. Topic {@code outcomes}, written when that span was
 * over or its cause changed; spans of less than a millisecond of log time are not written.
 *
 * @param fromNs log time of the fact after which the policy had nothing to start
 * @param toNs log time of the fact that ended the span, above fromNs
 * @param cause the text of a {@link Cause}, or of a cause of another version of Sluice
 */
public record Blocked(long fromNs, long toNs, String cause) implements Outcome {
  public enum Cause {
    /** The memory budget. */
    TOKENS,

    /** A micro-batch that still gathers jobs. */
    WINDOW,

    /** No idle lane can run the work. */
    CAPABILITY,

    /** The policy's own choice. */
    POLICY;

    private final String text = name().toLowerCase(Locale.ROOT);

    public String text() {
      return text;
    }
  }

  /** A span with a cause of this build. */
  public Blocked(long fromNs, long toNs, Cause cause) {
    this(fromNs, toNs, cause.text());
  }

  public Blocked {
    if (toNs <= fromNs) {
      throw new IllegalArgumentException("toNs (" + toNs + ") must be above fromNs");
    }
  }
}
