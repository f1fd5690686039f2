/**
 * What every bench is: a measurement that fills rows of one table.
 *
 * <p>Units stand in each row. Deliberately absent: any measurement.
 */
@NullMarked
package dev.sluice.harness.bench.row;

import org.jspecify.annotations.NullMarked;
