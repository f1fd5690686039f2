package dev.sluice.contract.event;

import static java.util.Objects.requireNonNull;

/**
 * Lanes of a shard stood idle beside work that waited. Topic {@code outcomes}, written when it was
 * over or its cause changed; spans of less than a millisecond of log time are not written.
 *
 * @param fromNs log time of the fact after which the policy had nothing to start
 * @param toNs log time of the fact that ended it, above fromNs
 * @param cause {@code tokens}, {@code window}, {@code capability} or {@code policy}
 */
public record Blocked(long fromNs, long toNs, String cause) implements Outcome {
  public static final int VERSION = 1;

  public Blocked {
    requireNonNull(cause, "cause");
    if (toNs <= fromNs) {
      throw new IllegalArgumentException("toNs (" + toNs + ") must be above fromNs");
    }
  }

  @Override
  public int version() {
    return VERSION;
  }
}
