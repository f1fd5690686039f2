/**
 * Runs that were recorded, again: decisions of a log made again and compared.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}). Deliberately absent:
 * the comparison itself, which is the scheduler's.
 */
@NullMarked
package dev.sluice.harness.replay;

import org.jspecify.annotations.NullMarked;
