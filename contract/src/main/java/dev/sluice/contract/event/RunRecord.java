package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** Participants of a run, its beginning and its end. Topic {@code runs}. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RoleJoined.class, name = "RoleJoined"),
  @JsonSubTypes.Type(value = ShardTaken.class, name = "ShardTaken"),
  @JsonSubTypes.Type(value = RoleLeft.class, name = "RoleLeft"),
  @JsonSubTypes.Type(value = RunStarted.class, name = "RunStarted"),
  @JsonSubTypes.Type(value = RunEnded.class, name = "RunEnded")
})
public sealed interface RunRecord extends Event
    permits RoleJoined, ShardTaken, RoleLeft, RunStarted, RunEnded {}
