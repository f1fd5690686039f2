/**
 * Readers of request traces: files in which somebody recorded when requests came. A trace is told
 * apart by the names of its columns, and its columns are found by name, never by place.
 *
 * <p>Units: times are nanoseconds since the trace's time zero, named {@code …Ns}. Deliberately
 * absent: what an experiment makes of a trace, and any row of a real trace.
 */
@NullMarked
package dev.sluice.producer.trace;

import org.jspecify.annotations.NullMarked;
