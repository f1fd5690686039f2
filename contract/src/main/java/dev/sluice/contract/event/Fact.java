package dev.sluice.contract.event;

/**
 * Anything that a shard's scheduler learns. Topic {@code facts}, dated by the broker's append time.
 */
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
