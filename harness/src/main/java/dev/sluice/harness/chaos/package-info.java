/** Faults on the processes of a run. */
@NullMarked
package dev.sluice.harness.chaos;

import org.jspecify.annotations.NullMarked;
