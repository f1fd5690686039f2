/** Estimators of service times. */
@NullMarked
package dev.sluice.executor.estimator;

import org.jspecify.annotations.NullMarked;
