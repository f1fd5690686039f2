/**
 * New workspaces of the queue, and old ones that are taken over.
 *
 * <p>Deliberately absent: the reading of a workspace's config, which {@code contract.sweep} holds.
 */
@NullMarked
package dev.sluice.harness.sweep.setup;

import org.jspecify.annotations.NullMarked;
