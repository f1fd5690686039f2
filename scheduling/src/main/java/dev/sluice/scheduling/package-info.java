/**
 * The scheduling core: facts in, decisions out, wake-up times out. A deterministic state machine,
 * driven by the log in real time and by a simulator in virtual time.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}. Deliberately absent: clocks, threads, I/O, logging, Kafka; chance only from a given seed.
 */
@NullMarked
package dev.sluice.scheduling;

import org.jspecify.annotations.NullMarked;
