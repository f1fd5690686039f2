/**
 * Files of the planner: models with their layers, device types with measured times, devices, and
 * schedules to be priced, from YAML or JSON, with errors that name file and line.
 *
 * <p>Units end the names, as in the files: {@code memoryMb} is a number of 1024² bytes, {@code
 * bandwidthMbps} of 1024² bits a second. Layers count from 1. Deliberately absent: what a plan
 * costs, and the search.
 */
@NullMarked
package dev.sluice.planning.file;

import org.jspecify.annotations.NullMarked;
