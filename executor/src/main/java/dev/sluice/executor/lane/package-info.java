/** A lane: a thread that holds models and runs one batch at a time. */
@NullMarked
package dev.sluice.executor.lane;

import org.jspecify.annotations.NullMarked;
