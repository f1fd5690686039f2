/**
 * The highest rate that keeps a target: what runs tell of it, and which rates to try. Rates are in
 * jobs per second.
 *
 * <p>Deliberately absent: how a run is made.
 */
@NullMarked
package dev.sluice.analytics.capacity;

import org.jspecify.annotations.NullMarked;
