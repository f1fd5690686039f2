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
public record Ticked(@Nullable Long sentAtNs) implements Fact {
  public static final int VERSION = 2;

  /** A tick without a time of its own. */
  public Ticked() {
    this(null);
  }

  @Override
  public int version() {
    return VERSION;
  }
}
