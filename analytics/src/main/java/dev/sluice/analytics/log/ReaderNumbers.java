package dev.sluice.analytics.log;

import java.util.Map;

/**
 * What the reader of a log has done so far, for whoever watches the process.
 *
 * @param ended jobs with an outcome, by status in lower case; every status is there
 * @param violations ended jobs that broke their promise, by class
 * @param recordsRead by topic, since this process started; unreadable ones among them
 * @param recordsBehind committed records that were known and not read when the broker answered last
 * @param windowsWritten to the metrics topic by this process
 */
public record ReaderNumbers(
    Map<String, Long> ended,
    Map<String, Long> violations,
    Map<String, Long> recordsRead,
    long recordsBehind,
    long windowsWritten) {}
