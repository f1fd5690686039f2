package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * The ends of jobs, and causes that held jobs up. Topic {@code outcomes}, dated by the broker's
 * append time.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = JobEnded.class, name = "JobEnded"),
  @JsonSubTypes.Type(value = Blocked.class, name = "Blocked")
})
public sealed interface Outcome extends Event permits JobEnded, Blocked {}
