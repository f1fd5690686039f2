/**
 * The scheduling core: facts in, decisions and wake-up times out. A deterministic state machine,
 * driven by the log in real time and by a simulator in virtual time. {@link SchedulingCore} is the
 * only entry point; behind it each part has one job, and a part calls only parts further on in this
 * order: choices and reports, completions and drops, arrivals, queue and batches. Snapshot and
 * restore read and write the state of them all. {@link Inspection} shows the state to people: what
 * waits and why, what lanes hold, which job comes next.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}; memory is counted in tokens. The parts read each other's fields directly: the core takes in
 * millions of facts a second. Deliberately absent: clocks, threads, I/O, logging, Kafka; chance
 * only from a given seed.
 */
@NullMarked
package dev.sluice.scheduling.core;

import org.jspecify.annotations.NullMarked;
