/**
 * The report of a finished run as a command: the page itself is made by {@code analytics.live};
 * this package finds the folders, and says what it made.
 */
@NullMarked
package dev.sluice.harness.report;

import org.jspecify.annotations.NullMarked;
