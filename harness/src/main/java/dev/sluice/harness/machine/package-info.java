/** The machine: its clocks, its processors, its memory. */
@NullMarked
package dev.sluice.harness.machine;

import org.jspecify.annotations.NullMarked;
