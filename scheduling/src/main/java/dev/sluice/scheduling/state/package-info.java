/** The state of a shard as its core and its policies see it: queues, groups, sets and lanes. */
@NullMarked
package dev.sluice.scheduling.state;

import org.jspecify.annotations.NullMarked;
