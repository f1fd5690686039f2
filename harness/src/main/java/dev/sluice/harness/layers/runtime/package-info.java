/**
 * What {@code layers run}, {@code train}, {@code plan} and {@code check} do: schedules of pure code
 * joined to the engine's layers, measured times, and the lines that a person reads.
 *
 * <p>Units: times are nanoseconds, memory and bandwidths are bytes and bytes a second. Deliberately
 * absent: how a schedule is made or checked, and how a layer is computed.
 */
@NullMarked
package dev.sluice.harness.layers.runtime;

import org.jspecify.annotations.NullMarked;
