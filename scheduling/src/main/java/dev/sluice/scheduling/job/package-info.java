/** Jobs, graphs of jobs and what they cost: plain values. */
@NullMarked
package dev.sluice.scheduling.job;

import org.jspecify.annotations.NullMarked;
