/**
 * A workspace of training commands: its config as the rules of a {@link
 * dev.sluice.harness.sweep.queue queue}, and a runner for each command. Deliberately absent: what
 * starts next, which the queue decides.
 */
@NullMarked
package dev.sluice.harness.sweep;

import org.jspecify.annotations.NullMarked;
