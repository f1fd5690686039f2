/**
 * Jobs and batches of a run as tables of columns: numbers in primitive arrays, names as numbers.
 *
 * <p>Units: nanoseconds since time zero unless a name says otherwise. Deliberately absent: figures.
 */
@NullMarked
package dev.sluice.analytics.row;

import org.jspecify.annotations.NullMarked;
