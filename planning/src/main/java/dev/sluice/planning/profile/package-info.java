/**
 * Profiles of layers: how long each layer of a network takes here and how much memory it needs,
 * measured in child processes, and the files of models and device types that {@code plan} reads.
 *
 * <p>Units: times are seconds, memory is bytes; the files hold MiB under the name MB and Mbit/s of
 * 1024² bits, as the planner reads them. Deliberately absent: plans.
 */
@NullMarked
package dev.sluice.planning.profile;

import org.jspecify.annotations.NullMarked;
