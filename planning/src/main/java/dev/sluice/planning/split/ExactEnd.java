package dev.sluice.planning.split;

import dev.sluice.planning.split.StageCosts.Split;
import org.jspecify.annotations.Nullable;

/**
 * What an exact search ends with.
 *
 * @param best best split found; null if there is none
 * @param lowerSeconds bound that no plan's bottleneck (or latency, by objective) is below
 * @param proved whether the best split is the first of all optimal ones, or that there is none
 */
record ExactEnd(@Nullable Split best, double lowerSeconds, boolean proved) {}
