/**
 * {@code ./sluice plan}: from the planner's files (models with their layers, device types with
 * measured times, devices, schedules to be priced, in YAML or JSON, with errors that name file and
 * line) to a plan, as a YAML list, as a table, as JSON and as a picture.
 *
 * <p>Units: times are seconds, memory is bytes; people read MiB. In the files, {@code memoryMb} is
 * a number of 1024² bytes, {@code bandwidthMbps} of 1024² bits a second. Layers count from 1.
 * Deliberately absent: the search and the rules of pricing, which are in {@link
 * dev.sluice.planning.split}.
 */
@NullMarked
package dev.sluice.planning.plan;

import org.jspecify.annotations.NullMarked;
