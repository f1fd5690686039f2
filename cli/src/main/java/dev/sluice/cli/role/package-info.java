/**
 * Commands of an online deployment: each role of a run as a process of its own, the broker between
 * them, and the topics that runs leave on one.
 *
 * <p>Deliberately absent: commands that need no deployment, which {@code cli} holds.
 */
@NullMarked
package dev.sluice.cli.role;

import org.jspecify.annotations.NullMarked;
