/**
 * {@code ./sluice plan}: from the planner's files to a plan, as a YAML list, as a table, as JSON
 * and as a picture.
 *
 * <p>Units: times are seconds, memory is bytes; people read MiB. Deliberately absent: the search
 * and the rules of pricing, which are in {@link dev.sluice.planning.split}.
 */
@NullMarked
package dev.sluice.planning.plan;

import org.jspecify.annotations.NullMarked;
