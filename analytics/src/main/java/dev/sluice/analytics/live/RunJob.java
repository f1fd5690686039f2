package dev.sluice.analytics.live;

import dev.sluice.analytics.row.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * A job of a finished run, as its row in trace.csv has it: times are rounded to microseconds, the
 * end-to-end time is exact.
 *
 * @param intendedNs intended arrival
 * @param sentNs the generator's send call
 * @param appendedNs the broker's append of the request, in whole milliseconds
 * @param decidedNs decision of the dispatch that ended the job; null: none did
 * @param endedNs the broker's append of that dispatch's completion, else of the outcome, in whole
 *     milliseconds; null: neither is in the log
 * @param endToEndNs end − intended arrival; 0 unless the job is done
 * @param inTime whether the job is done within its promise
 */
record RunJob(
    String classType,
    JobStatus status,
    long intendedNs,
    long sentNs,
    long appendedNs,
    @Nullable Long decidedNs,
    @Nullable Long endedNs,
    long endToEndNs,
    boolean inTime) {}
