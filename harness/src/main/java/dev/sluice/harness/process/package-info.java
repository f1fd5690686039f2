/** Child processes, signals and log files. */
@NullMarked
package dev.sluice.harness.process;

import org.jspecify.annotations.NullMarked;
