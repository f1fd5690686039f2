/**
 * A run's log. Its topics on a broker: their names, how they are made and removed, and every Kafka
 * client that a role opens on them, with its settings in one place ({@link
 * dev.sluice.contract.log.Reading}, {@link dev.sluice.contract.log.Writing}). And its recordings:
 * files that hold the whole log, or the requests of a load alone, so that they can be read when the
 * topics are gone. A recording is gzip of UTF-8 JSON lines: a header, one line for each record, and
 * a trailer with their count and SHA-256. Equal contents give equal bytes.
 *
 * <p>Units: times of clients are monotonic nanoseconds or {@link java.time.Duration}; times in
 * recordings end in {@code Ns} (nanoseconds since time zero) or in {@code EpochMs} (milliseconds
 * since 1970). Deliberately absent: a clock of its own, a broker, Kafka Streams (whose properties
 * the scheduler keeps), and the meaning of an event's bytes.
 */
@NullMarked
package dev.sluice.contract.log;

import org.jspecify.annotations.NullMarked;
