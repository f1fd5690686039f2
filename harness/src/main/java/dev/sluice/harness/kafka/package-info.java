/**
 * Kafka: the embedded broker, access to any broker, and the topics that runs left on one.
 * Deliberately absent: what the records mean.
 */
@NullMarked
package dev.sluice.harness.kafka;

import org.jspecify.annotations.NullMarked;
