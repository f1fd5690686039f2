package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * Anything that a shard's scheduler learns. Topic {@code facts}, dated by the broker's append time.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RunStarted.class, name = "RunStarted"),
  @JsonSubTypes.Type(value = JobRequested.class, name = "JobRequested"),
  @JsonSubTypes.Type(value = WorkflowRequested.class, name = "WorkflowRequested"),
  @JsonSubTypes.Type(value = ExecutorReported.class, name = "ExecutorReported"),
  @JsonSubTypes.Type(value = BatchCompleted.class, name = "BatchCompleted"),
  @JsonSubTypes.Type(value = ModelLoaded.class, name = "ModelLoaded"),
  @JsonSubTypes.Type(value = ModelEvicted.class, name = "ModelEvicted"),
  @JsonSubTypes.Type(value = PredictionsPublished.class, name = "PredictionsPublished"),
  @JsonSubTypes.Type(value = ArrivalsEnded.class, name = "ArrivalsEnded"),
  @JsonSubTypes.Type(value = Ticked.class, name = "Ticked")
})
public sealed interface Fact extends Event
    permits RunStarted,
        JobRequested,
        WorkflowRequested,
        ExecutorReported,
        BatchCompleted,
        ModelLoaded,
        ModelEvicted,
        PredictionsPublished,
        ArrivalsEnded,
        Ticked {}
