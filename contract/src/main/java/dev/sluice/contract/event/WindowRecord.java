package dev.sluice.contract.event;

/**
 * What analytics writes of a run. Topic {@code metrics} holds one {@link RunDescribed}, then a
 * {@link MetricsWindow} of each second once, in order, with {@link BatchesEnded} between them, and
 * last one {@link RunSummarized}. Readers skip records of types that they do not know.
 */
public sealed interface WindowRecord extends Event
    permits RunDescribed, MetricsWindow, RunSummarized, BatchesEnded {}
