/**
 * What the command {@code metrics} does: follows a run's topic of that name, for those who feed
 * their own.
 *
 * <p>Deliberately absent: meters of a process, which {@code harness.prometheus} serves.
 */
@NullMarked
package dev.sluice.harness.metrics;

import org.jspecify.annotations.NullMarked;
