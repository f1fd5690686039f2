package dev.sluice.analytics.fold;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run so far, over all its jobs, measured or not, for a progress line. Every number is exact for
 * what has been read, but the 99th percentile, which is within 0.1 %.
 *
 * @param elapsedNs since time zero; 0 before the run started
 * @param sent jobs requested
 * @param waiting neither dispatched nor ended; a dispatch is seen when its transaction commits
 * @param running dispatched, not ended
 * @param violations by class, every class that was sent; the ended jobs that broke their promise
 * @param endToEndMsP99 nearest rank over the ended jobs; null while there is none, and infinite
 *     where it falls on a job that was dropped or failed
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
