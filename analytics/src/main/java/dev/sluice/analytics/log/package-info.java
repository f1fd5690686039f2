/** The reading of a run's topics, while it goes on and once more at its end. */
@NullMarked
package dev.sluice.analytics.log;

import org.jspecify.annotations.NullMarked;
