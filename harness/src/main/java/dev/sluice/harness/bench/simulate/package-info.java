/**
 * What a user waits for at {@code ./sluice simulate}: whole processes from start to exit, beside
 * the rows of the bare engine, and beside other simulators of one queue.
 *
 * <p>Units stand in each row. Deliberately absent: libraries of the other simulators, which a
 * developer brings; their programs are resources, and no part of Sluice's classes.
 */
@NullMarked
package dev.sluice.harness.bench.simulate;

import org.jspecify.annotations.NullMarked;
