package dev.sluice.analytics.fold;

import org.jspecify.annotations.Nullable;

/** A job that has not ended by the outcomes read so far. */
final class OpenJob {
  final String classType;
  final long intendedAtNs;
  final long sloNs;

  /** Batch of the last dispatch that holds it; null: it waits. */
  LiveFold.@Nullable Batch batch;

  OpenJob(String classType, long intendedAtNs, long sloNs) {
    this.classType = classType;
    this.intendedAtNs = intendedAtNs;
    this.sloNs = sloNs;
  }
}
