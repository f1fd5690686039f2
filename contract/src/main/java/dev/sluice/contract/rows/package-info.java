/**
 * Rows of large files, CSV or JSON Lines, compressed or not, at a million rows a second: fields
 * under the names of columns, and mistakes with their line. Numbers and dates are read in whole
 * numbers, rounded down to the nanosecond.
 *
 * <p>Deliberately absent: what the columns mean.
 */
@NullMarked
package dev.sluice.contract.rows;

import org.jspecify.annotations.NullMarked;
