/**
 * A run's log. Its events as JSON bytes and back ({@link EventCodec}: fields that are unknown are
 * ignored, bytes that are no whole event are refused). Its topics on a broker: their names, how
 * they are made and removed, and every Kafka client that a role opens on them, with its settings in
 * one place ({@link Reading}, {@link Writing}). Its time, from a clock that is handed in ({@link
 * RunClock}). And its recordings: files that hold the whole log, or the requests of a load alone,
 * so that they can be read when the topics are gone. A recording is gzip of UTF-8 JSON lines: a
 * header, one line for each record, and a trailer with their count and SHA-256. Equal contents give
 * equal bytes.
 *
 * <p>Units: times of clients are monotonic nanoseconds or {@link java.time.Duration}; times in
 * recordings end in {@code Ns} (nanoseconds since time zero) or in {@code EpochMs} (milliseconds
 * since 1970). Deliberately absent: the system's clocks, a broker, and Kafka Streams (whose
 * properties the scheduler keeps).
 */
@NullMarked
package dev.sluice.contract.log;

import org.jspecify.annotations.NullMarked;
