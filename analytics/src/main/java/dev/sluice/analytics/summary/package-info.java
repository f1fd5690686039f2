/** The figures of a run by name, as summary.json holds them. */
@NullMarked
package dev.sluice.analytics.summary;

import org.jspecify.annotations.NullMarked;
