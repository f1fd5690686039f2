package dev.sluice.contract;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** The beginning and the end of a run. Topic {@code runs}. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RunStarted.class, name = "RunStarted"),
  @JsonSubTypes.Type(value = RunEnded.class, name = "RunEnded")
})
public sealed interface RunRecord extends Event permits RunStarted, RunEnded {}
