package dev.sluice.analytics.fold;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of a run, over all its jobs, measured or not, for a progress line. Every number is exact
 * for the records read so far, except the 99th percentile, which is within 0.1 %.
 *
 * @param elapsedNs time since time zero; 0 before the run started
 * @param sent jobs requested
 * @param waiting jobs neither dispatched nor ended; a dispatch is seen when its transaction commits
 * @param running jobs dispatched and not ended
 * @param violations ended jobs that broke their promise, for every class that was sent
 * @param endToEndMsP99 nearest rank over the ended jobs; null before the first, and infinite if it
 *     falls on a job that was dropped or failed
 */
public record LiveSnapshot(
    long elapsedNs,
    long sent,
    long waiting,
    long running,
    long done,
    long dropped,
    long failed,
    Map<String, Long> violations,
    @Nullable Double endToEndMsP99) {}
