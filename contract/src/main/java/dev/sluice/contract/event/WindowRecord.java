package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * What analytics writes of a run. Topic {@code metrics} holds one {@link RunDescribed}, then a
 * {@link MetricsWindow} of each second once, in order, with {@link BatchesEnded} between them, and
 * last one {@link RunSummarized}. Readers skip records of types that they do not know.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RunDescribed.class, name = "RunDescribed"),
  @JsonSubTypes.Type(value = MetricsWindow.class, name = "MetricsWindow"),
  @JsonSubTypes.Type(value = RunSummarized.class, name = "RunSummarized"),
  @JsonSubTypes.Type(value = BatchesEnded.class, name = "BatchesEnded")
})
public sealed interface WindowRecord extends Event
    permits RunDescribed, MetricsWindow, RunSummarized, BatchesEnded {}
