/**
 * Roles of a run, and each of them as a process of its own, from its settings to its exit status.
 * Roles meet in topics alone. Deliberately absent: the command line, which hands over records of
 * options.
 */
@NullMarked
package dev.sluice.harness.role;

import org.jspecify.annotations.NullMarked;
