/**
 * What analytics tells others of a run while it goes on: the records of the topics {@code metrics}
 * and {@code lanes}, and the buckets of their histograms. Times are nanoseconds since time zero.
 * Deliberately absent: Kafka, and how the records are made.
 */
@NullMarked
package dev.sluice.contract.window;

import org.jspecify.annotations.NullMarked;
