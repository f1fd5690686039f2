/**
 * Simulations: an experiment in virtual time, with service times and hops from tables, and the
 * comparison of a simulation with the live runs it stands for.
 *
 * <p>Units: times are nanoseconds ({@code …Ns}) since the run's time zero. Deliberately absent:
 * processes, Kafka and waiting.
 */
@NullMarked
package dev.sluice.harness.simulate;

import org.jspecify.annotations.NullMarked;
