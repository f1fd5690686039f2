/**
 * One job's life, told from the facts of a run's log and the decisions that the bare core makes
 * again from them. {@link Explainer} is the way in, {@link Explanation} what comes out.
 *
 * <p>Units: times are nanoseconds since time zero of the run ({@code …Ns}). Deliberately absent:
 * files, text for people, and any job but the one that is asked for.
 */
@NullMarked
package dev.sluice.scheduler.explain;

import org.jspecify.annotations.NullMarked;
