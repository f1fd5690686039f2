/**
 * {@code ./sluice layers}: models that run layer by layer, by schedule.
 *
 * <p>Deliberately absent: what the commands do, which {@code harness} holds.
 */
@NullMarked
package dev.sluice.cli.layers;

import org.jspecify.annotations.NullMarked;
