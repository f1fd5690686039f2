/**
 * A workspace of training commands: its scheduler_config.yml as the rules of a {@link
 * dev.sluice.sweep.queue queue}, a runner for each command, new workspaces and old ones that are
 * taken over, and sessions of tmux in which a person reads what tasks print. The tasks run beside
 * tmux, so that its end ends none. Also the file of an own sweep's grid.
 *
 * <p>Units end the names of times. Deliberately absent: what starts next, which the queue decides,
 * and the reading of the tasks' own configs, whose form only their scripts know.
 */
@NullMarked
package dev.sluice.sweep.workspace;

import org.jspecify.annotations.NullMarked;
