/**
 * Benches: measurements of Sluice's own speed and memory, each a class that fills rows of one
 * table. What could warm up or slow down another measurement runs in a process of its own.
 *
 * <p>JMH drives what is one small operation again and again: the core and the look-up of a
 * prediction. {@link dev.sluice.harness.bench.JmhForks} gives it the processes' options and takes
 * the median of its iterations; JMH's own package of generated loops lies beside this one.
 *
 * <p>The simulator is measured without JMH: its rows count processor time of the whole process,
 * compilers and collector included, which JMH cannot read, for its rates and its auxiliary counters
 * are divided by elapsed time; and one operation is a whole simulation of millions of jobs, so that
 * there is nothing to iterate. The schedule of workflows is measured without JMH as well: its
 * growth compares four numbers of requests in one process, whose code is equally warm for all four,
 * where JMH would start a process for each.
 *
 * <p>Units stand in each row. Deliberately absent: verdicts on policies, which are runs' work.
 */
@NullMarked
package dev.sluice.harness.bench;

import org.jspecify.annotations.NullMarked;
