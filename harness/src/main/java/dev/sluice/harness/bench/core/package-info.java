/**
 * Benches of parts that need no loop: the core, the simulator, predictions, {@code check}.
 *
 * <p>JMH drives what is one small operation again and again: the core and the look-up of a
 * prediction. {@link dev.sluice.harness.bench.core.JmhForks} gives it the processes' options and
 * takes the median of its iterations; JMH's own package of generated loops lies below this one.
 *
 * <p>The simulator is measured without JMH: its rows count processor time of the whole process,
 * compilers and collector included, which JMH cannot read, for its rates and its auxiliary counters
 * are divided by elapsed time; and one operation is a whole simulation of millions of jobs, so that
 * there is nothing to iterate. The schedule of workflows is measured without JMH as well: its
 * growth compares four numbers of requests in one process, whose code is equally warm for all four,
 * where JMH would start a process for each.
 *
 * <p>Units stand in each row. Deliberately absent: Kafka and engines.
 */
@NullMarked
package dev.sluice.harness.bench.core;

import org.jspecify.annotations.NullMarked;
