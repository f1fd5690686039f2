/** Kafka: the embedded broker, and access to any. */
@NullMarked
package dev.sluice.harness.kafka;

import org.jspecify.annotations.NullMarked;
