package dev.sluice.analytics.log;

import java.util.Map;

/**
 * Counts of a reader's work so far, for the metrics of its process.
 *
 * @param ended jobs with an outcome, by status in lower case; every status is there
 * @param violations ended jobs that broke their promise, by class
 * @param recordsRead records by topic, since this process started; unreadable ones among them
 * @param recordsBehind committed records that were known and not read when the broker answered last
 * @param windowsWritten windows that this process wrote to the metrics topic
 */
public record ReaderNumbers(
    Map<String, Long> ended,
    Map<String, Long> violations,
    Map<String, Long> recordsRead,
    long recordsBehind,
    long windowsWritten) {}
