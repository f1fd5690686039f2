/**
 * The files of sweeps: scheduler_config.yml of a workspace, and the grid of an own sweep.
 *
 * <p>Units end the names of times. Deliberately absent: the reading of the tasks' own configs,
 * whose form only their scripts know.
 */
@NullMarked
package dev.sluice.sweep.config;

import org.jspecify.annotations.NullMarked;
