/** Pictures of a run. */
@NullMarked
package dev.sluice.analytics.plot;

import org.jspecify.annotations.NullMarked;
