/**
 * The smallest example of the layer runtime: a toy model whose layers only wait, a training loop
 * that fires hooks, and a walk through a schedule, with and without prefetching.
 *
 * <p>Units: times are nanoseconds since the step began. Deliberately absent: engines, tensors,
 * files.
 */
@NullMarked
package dev.sluice.layers.demo;

import org.jspecify.annotations.NullMarked;
