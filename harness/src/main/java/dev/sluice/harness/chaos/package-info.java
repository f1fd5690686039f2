/**
 * Faults on the processes of a run that this process started, and the audit of the log that the run
 * left. Deliberately absent: faults on processes of anybody else.
 */
@NullMarked
package dev.sluice.harness.chaos;

import org.jspecify.annotations.NullMarked;
