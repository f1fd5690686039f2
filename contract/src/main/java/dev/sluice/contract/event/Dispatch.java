package dev.sluice.contract.event;

import dev.sluice.contract.value.DispatchId;

/** What a scheduler has an executor do. Topic {@code dispatches}. */
public sealed interface Dispatch extends Event permits BatchDispatched, LanePrepared {
  /** Name of the dispatch, which rises within a shard. */
  DispatchId dispatchId();

  String executorId();

  /** Start of the executor that the dispatch is meant for. */
  long incarnation();

  long decidedAtNs();
}
