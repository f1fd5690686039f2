/** Workflows: simulated, and really run. */
@NullMarked
package dev.sluice.harness.workflow;

import org.jspecify.annotations.NullMarked;
