/**
 * Report of a run: the tables trace.csv and dispatches.csv, summary.json, pictures, and the closing
 * table on the terminal.
 *
 * <p>Units: columns and figures carry theirs in their names. Deliberately absent: any computation
 * of figures, and the reading of a finished folder.
 */
@NullMarked
package dev.sluice.analytics.report;

import org.jspecify.annotations.NullMarked;
