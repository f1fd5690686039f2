/**
 * What a run of the layer runtime leaves behind: its operations as layers.csv, as a trace for
 * Perfetto and as a picture, and its figures.
 *
 * <p>Units: times are nanoseconds since the first step began, memory is bytes. Deliberately absent:
 * engines and clocks.
 */
@NullMarked
package dev.sluice.harness.layers.trace;

import org.jspecify.annotations.NullMarked;
