package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Any record by which the roles of a run meet: its JSON carries the record's name as type, and its
 * version.
 */
public sealed interface Event permits Fact, Outcome, RunRecord, Dispatch, WindowRecord {
  /** The version of this record's fields that this build writes; 1 unless the record says more. */
  @JsonProperty("version")
  default int version() {
    return 1;
  }
}
