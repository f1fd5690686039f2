/** Statistics and numbers as text. */
@NullMarked
package dev.sluice.analytics.statistic;

import org.jspecify.annotations.NullMarked;
