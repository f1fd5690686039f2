package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler has the whole state of a shard and decides for it from here on. Topic {@code runs};
 * such a record after time zero is a takeover.
 *
 * @param instance as in the scheduler's {@link RoleJoined}
 * @param transactionalId transactional id under which it writes, so that the next scheduler can
 *     fence it; null: not known
 */
public record ShardTaken(int shard, String instance, @Nullable String transactionalId)
    implements RunRecord {
  public ShardTaken {
    Checks.atLeast(0, shard, "shard");
  }
}
