/**
 * The values that enter and leave the core or that a driver keeps of it: facts, settings,
 * dispatches, ends of jobs, and the entities of the core's state.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}. Deliberately absent: formats and topics, which are the drivers'.
 */
@NullMarked
package dev.sluice.scheduling.fact;

import org.jspecify.annotations.NullMarked;
