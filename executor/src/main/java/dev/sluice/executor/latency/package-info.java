/**
 * Learned latency: models that are fitted to measured service times, the validation of their
 * predictions, and the file that carries a model.
 *
 * <p>Units: service times are nanoseconds named {@code …Ns}, in files milliseconds named {@code
 * …_ms}; errors and residuals are differences of natural logarithms, so that 0.01 is about 1 %.
 * Equal rows and an equal seed give an equal model, bit for bit. Deliberately absent: Kafka,
 * models, lanes, clocks, Java's deserialization; the choice of recent rows, which is the caller's.
 */
@NullMarked
package dev.sluice.executor.latency;

import org.jspecify.annotations.NullMarked;
