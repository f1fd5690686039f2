/** Runs beside each other. */
@NullMarked
package dev.sluice.analytics.compare;

import org.jspecify.annotations.NullMarked;
