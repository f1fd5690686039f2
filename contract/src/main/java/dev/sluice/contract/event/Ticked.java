package dev.sluice.contract.event;

import org.jspecify.annotations.Nullable;

/**
 * Time has passed. Topic {@code facts}; written by the scheduler through a plain producer when a
 * wake-up is due or a heartbeat went by without a fact. The time is the record's append time.
 *
 * <p>Version 2 adds {@code sentAtNs}.
 *
 * @param sentAtNs time at which the scheduler sent it; null: before version 2, or not noted
 */
@Event.Version(2)
public record Ticked(@Nullable Long sentAtNs) implements Fact {
  /** A tick without a time of its own. */
  public Ticked() {
    this(null);
  }
}
