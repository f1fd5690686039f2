/** Runs: in one process, in several, and repeated. */
@NullMarked
package dev.sluice.harness.run;

import org.jspecify.annotations.NullMarked;
