/**
 * Layers of a network as modules of their own, on DJL's PyTorch engine. What crosses a cut between
 * two layers is raw float32 values in direct memory, one tensor behind the other.
 *
 * <p>Units: layers count from 1; sizes in bytes. Deliberately absent: sockets, processes, clocks,
 * plans.
 */
@NullMarked
package dev.sluice.layers.engine;

import org.jspecify.annotations.NullMarked;
