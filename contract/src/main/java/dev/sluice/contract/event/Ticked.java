package dev.sluice.contract.event;

/**
 * Time has passed. Topic {@code facts}; written by the scheduler through a plain producer when a
 * wake-up is due or a heartbeat went by without a fact. The time is the record's append time.
 */
public record Ticked() implements Fact {
  public static final int VERSION = 1;

  @Override
  public int version() {
    return VERSION;
  }
}
