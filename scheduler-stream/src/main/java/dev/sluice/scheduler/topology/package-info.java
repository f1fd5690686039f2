/** The Kafka Streams topology, its processor, its store and its timer. */
@NullMarked
package dev.sluice.scheduler.topology;

import org.jspecify.annotations.NullMarked;
