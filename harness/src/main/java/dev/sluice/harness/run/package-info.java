/**
 * A whole run of an experiment: all roles in this process, each in its own, or several runs one
 * after the other. {@link dev.sluice.harness.run.RunShell} holds what a run with any load needs.
 */
@NullMarked
package dev.sluice.harness.run;

import org.jspecify.annotations.NullMarked;
