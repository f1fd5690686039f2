package dev.sluice.contract.event;

/** Participants of a run, its beginning and its end. Topic {@code runs}. */
public sealed interface RunRecord extends Event
    permits RoleJoined, ShardTaken, RoleLeft, RunStarted, RunEnded {}
