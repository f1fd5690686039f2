/**
 * Recordings: files that hold a run's whole log, or the requests of a load alone, so that they can
 * be read when the topics are gone. A recording is gzip of UTF-8 JSON lines: a header, one line for
 * each record, and a trailer with their count and SHA-256. Equal contents give equal bytes.
 *
 * <p>Units: times end in {@code Ns} (nanoseconds since time zero) or in {@code EpochMs}
 * (milliseconds since 1970). Deliberately absent: Kafka, the meaning of an event's bytes, and a
 * clock.
 */
@NullMarked
package dev.sluice.contract.recording;

import org.jspecify.annotations.NullMarked;
