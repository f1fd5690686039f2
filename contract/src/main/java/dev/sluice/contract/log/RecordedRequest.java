package dev.sluice.contract.log;

/**
 * A request of a recorded load, or of a trace.
 *
 * @param intendedAtNs time at which the request was meant to arrive, since the load's beginning
 */
public record RecordedRequest(long intendedAtNs, RequestKind kind) {}
