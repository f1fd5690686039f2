/**
 * A run's topics on a broker: their names, how they are made and removed, and every Kafka client
 * that a role opens on them, with its settings in one place ({@link
 * dev.sluice.contract.log.Reading}, {@link dev.sluice.contract.log.Writing}).
 *
 * <p>Units: times are monotonic nanoseconds or {@link java.time.Duration}. Deliberately absent: a
 * clock of its own, a broker, and Kafka Streams, whose properties the scheduler keeps.
 */
@NullMarked
package dev.sluice.contract.log;

import org.jspecify.annotations.NullMarked;
