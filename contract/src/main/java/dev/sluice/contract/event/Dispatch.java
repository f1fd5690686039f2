package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.sluice.contract.value.DispatchId;

/** What a scheduler has an executor do. Topic {@code dispatches}. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = BatchDispatched.class, name = "BatchDispatched"),
  @JsonSubTypes.Type(value = LanePrepared.class, name = "LanePrepared")
})
public sealed interface Dispatch extends Event permits BatchDispatched, LanePrepared {
  /** Name of the dispatch, which rises within a shard. */
  DispatchId dispatchId();

  String executorId();

  /** Start of the executor that the dispatch is meant for. */
  long incarnation();

  long decidedAtNs();
}
