/**
 * A queue of tasks over slots: what starts next, exactly once, through any death of the scheduler.
 * The fold of its journal and what is decided from it ({@link dev.sluice.sweep.queue.QueueState})
 * know no clock, file or process. Times are wall time, milliseconds since 1970, unless a name ends
 * in Ns. Deliberately absent: what a task is; {@link dev.sluice.sweep.queue.Scheduler.Work} says
 * what it runs.
 */
@NullMarked
package dev.sluice.sweep.queue;

import org.jspecify.annotations.NullMarked;
