/**
 * Jobs, graphs of jobs and what they cost: plain values, and the hash that seeds share.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}; memory is counted in tokens. Deliberately absent: the state of a job.
 */
@NullMarked
package dev.sluice.scheduling.job;

import org.jspecify.annotations.NullMarked;
