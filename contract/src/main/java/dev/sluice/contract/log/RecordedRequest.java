package dev.sluice.contract.log;

/**
 * A request of a recorded load.
 *
 * @param intendedAtNs time at which the request was meant to arrive, since the load's beginning
 */
public record RecordedRequest(long intendedAtNs, RequestKind kind) {
  public RecordedRequest {
    if (intendedAtNs < 0 || kind.samples() < 0 || kind.sloNs() < 0) {
      throw new IllegalArgumentException(
          "a request has a number below 0: %s, %s, %s"
              .formatted(intendedAtNs, kind.samples(), kind.sloNs()));
    }
  }
}
