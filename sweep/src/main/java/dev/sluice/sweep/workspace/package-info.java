/**
 * A workspace of training commands: its config as the rules of a {@link dev.sluice.sweep.queue
 * queue}, a runner for each command, new workspaces and old ones that are taken over, and sessions
 * of tmux in which a person reads what tasks print. The tasks run beside tmux, so that its end ends
 * none.
 *
 * <p>Deliberately absent: what starts next, which the queue decides.
 */
@NullMarked
package dev.sluice.sweep.workspace;

import org.jspecify.annotations.NullMarked;
