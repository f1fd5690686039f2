/**
 * The commands {@code layers run}, {@code train}, {@code plan}, {@code check} and {@code demo} (a
 * toy model whose layers only wait), and the models of lanes with a memory budget: schedules of
 * pure code joined to the engine's layers, the files that hold schedules, measured times, the lines
 * that a person reads, and what a run leaves (layers.csv, a trace for Perfetto, a picture,
 * figures).
 *
 * <p>Units: times are nanoseconds (in a trace, since the first step began), memory and bandwidths
 * are bytes and bytes a second. Deliberately absent: how a schedule is made or checked, and how a
 * layer is computed.
 */
@NullMarked
package dev.sluice.layers.runtime;

import org.jspecify.annotations.NullMarked;
