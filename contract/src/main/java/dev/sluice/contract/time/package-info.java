/** The run's clock and the waiting for a moment, both given from outside. */
@NullMarked
package dev.sluice.contract.time;

import org.jspecify.annotations.NullMarked;
