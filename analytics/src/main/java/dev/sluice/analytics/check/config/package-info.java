/**
 * Rules that hold the rows of a run's tables to its config.yaml, and the request list drawn a
 * second time from the seed.
 */
@NullMarked
package dev.sluice.analytics.check.config;

import org.jspecify.annotations.NullMarked;
