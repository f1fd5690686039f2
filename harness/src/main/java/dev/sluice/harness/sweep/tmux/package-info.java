/**
 * Sessions of tmux in which a person reads what tasks and the scheduler print.
 *
 * <p>Deliberately absent: the tasks themselves. They run beside tmux, so that its end ends none.
 */
@NullMarked
package dev.sluice.harness.sweep.tmux;

import org.jspecify.annotations.NullMarked;
