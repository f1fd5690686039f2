/** The check of a run's folder: all of its rules, one after the other. */
@NullMarked
package dev.sluice.analytics.check.run;

import org.jspecify.annotations.NullMarked;
