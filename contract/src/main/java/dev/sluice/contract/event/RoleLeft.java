package dev.sluice.contract.event;

/**
 * A role's process has closed all that it had open and ends in order; nothing of it reads or writes
 * the run's topics any more. Topic {@code runs}.
 *
 * @param instance as in its {@link RoleJoined}
 */
public record RoleLeft(RoleJoined.Role role, String instance) implements RunRecord {}
