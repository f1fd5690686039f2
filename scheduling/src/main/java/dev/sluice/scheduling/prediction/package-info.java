/**
 * Predicted service times: published tables, their corrections by completions, their upper bounds,
 * and the means that stand in until there is a table.
 *
 * <p>Units: service times are nanoseconds, residuals natural logarithms of actual / predicted time.
 * Deliberately absent: the training of tables, and any clock.
 */
@NullMarked
package dev.sluice.scheduling.prediction;

import org.jspecify.annotations.NullMarked;
