/**
 * What the core knows: waiting jobs by group and set, executors with their lanes and batches, and
 * {@link CoreState}, the view of both that policies are handed.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}; a {@code …LeaseNs} is of the lease clock. Public fields are read by the core alone, without
 * a method in between: it looks at them for each job. Deliberately absent: any decision, clocks,
 * I/O.
 */
@NullMarked
package dev.sluice.scheduling.state;

import org.jspecify.annotations.NullMarked;
