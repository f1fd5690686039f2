/**
 * Comparison of finished runs as a command, and series that run two settings seed by seed.
 *
 * <p>Units: none. Deliberately absent: any statistic; {@code analytics.compare} judges.
 */
@NullMarked
package dev.sluice.harness.compare;

import org.jspecify.annotations.NullMarked;
