package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;
import org.jspecify.annotations.Nullable;

/**
 * A run begins. Topics {@code runs} and, once per shard, {@code facts}; no fact before it moves the
 * shard's clock.
 *
 * <p>Version 2 adds {@code arrivalsEndAtNsMax}.
 *
 * @param timeZeroEpochMs time zero of the run on the broker's clock, milliseconds since 1970
 * @param seed the one seed of the run, split by purpose
 * @param configDigest SHA-256 of the resolved experiment; a role with another digest must not join
 * @param shards partitions of facts, dispatches and outcomes; at least 1
 * @param generators number of generators that will write {@link ArrivalsEnded}; at least 1
 * @param arrivalsEndAtNsMax time at or after which no job is intended, so that a shard whose
 *     generator died does not wait for ever for its {@link ArrivalsEnded}; null: not known
 */
@Event.Version(2)
public record RunStarted(
    String runId,
    long timeZeroEpochMs,
    long seed,
    String configDigest,
    String requestDigest,
    int shards,
    int generators,
    @Nullable Long arrivalsEndAtNsMax)
    implements Fact, RunRecord {
  public RunStarted {
    Checks.atLeast(1, shards, "shards");
    Checks.atLeast(1, generators, "generators");
  }
}
