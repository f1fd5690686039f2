/** Predicted service times, their corrections and their bounds. */
@NullMarked
package dev.sluice.scheduling.prediction;

import org.jspecify.annotations.NullMarked;
