package dev.sluice.contract.event;

import org.jspecify.annotations.Nullable;

/**
 * A role's process takes part in the run. Topic {@code runs}. The digest of the first is the run's:
 * a role with another digest must not go on.
 *
 * @param instance unique among the run's processes, also after a restart
 * @param configDigest SHA-256 of the resolved experiment that the process was given
 * @param shard the one shard that an executor belongs to; null for the other roles
 */
public record RoleJoined(Role role, String instance, String configDigest, @Nullable Integer shard)
    implements RunRecord {

  /** Role of a process in the run; each is a command with the same name. */
  public enum Role {
    PRODUCE,
    SCHEDULE,
    EXECUTE,
    ANALYZE
  }
}
