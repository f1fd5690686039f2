package dev.sluice.analytics.log;

import java.util.Map;

/**
 * Counts of a reader's work so far, for the metrics of its process.
 *
 * @param recordsRead records by topic, since this process started; unreadable ones among them
 * @param recordsBehind committed records that were known and not read when the broker answered last
 * @param windowsWritten windows that this process wrote to the metrics topic
 */
public record ReaderNumbers(
    Map<String, Long> recordsRead, long recordsBehind, long windowsWritten) {}
