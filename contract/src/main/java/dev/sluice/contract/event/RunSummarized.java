package dev.sluice.contract.event;

import org.jspecify.annotations.Nullable;

/**
 * How a run came out. Last record of topic {@code metrics}.
 *
 * @param summaryJson text of summary.json, as it stands in the run's folder; null: there is none
 * @param failure reason why the run was given up; null: it came to its end
 */
public record RunSummarized(String runId, @Nullable String summaryJson, @Nullable String failure)
    implements WindowRecord {}
