/**
 * Each role of a run, and each as a process of its own, from its settings to its exit status. Roles
 * meet in topics alone. Deliberately absent: the command line, which hands records of settings.
 */
@NullMarked
package dev.sluice.harness.role;

import org.jspecify.annotations.NullMarked;
