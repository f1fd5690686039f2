/** Arrival processes, and the chance that they draw from. */
@NullMarked
package dev.sluice.producer.arrivals;

import org.jspecify.annotations.NullMarked;
