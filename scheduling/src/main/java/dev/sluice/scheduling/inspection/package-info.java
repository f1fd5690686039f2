/**
 * A view of a core's state for people: what waits and why, what lanes hold, which job comes next.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}; memory is counted in tokens. Deliberately absent: any change of the state, and any memory
 * of earlier states.
 */
@NullMarked
package dev.sluice.scheduling.inspection;

import org.jspecify.annotations.NullMarked;
