/**
 * Upper bounds on the good jobs of a list, those that end within their promise, under any
 * scheduler, also one that knows the future. docs/bound.md has the proofs.
 *
 * <p>Units: nanoseconds, {@code …Ns}; a lane time is nanoseconds of one lane. Deliberately absent:
 * policies, files, and all that costs a scheduler time: hops, moves of jobs and models, memory.
 */
@NullMarked
package dev.sluice.analytics.bound;

import org.jspecify.annotations.NullMarked;
