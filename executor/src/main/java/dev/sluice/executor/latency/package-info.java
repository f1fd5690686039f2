/**
 * Service times, measured and learned: keys and rows of a profile, its plan and its file;
 * estimators (medians, interpolation, lines, trees) that are fitted to the rows, the validation of
 * their predictions, the choice of the best, and the file that carries a model.
 *
 * <p>Units: service times are nanoseconds named {@code …Ns}, in files milliseconds named {@code
 * …_ms}; estimators work on natural logarithms of nanoseconds, {@code lnNs}; errors and residuals
 * are differences of these, so that 0.01 is about 1 %. Equal rows and an equal seed give an equal
 * model, bit for bit. Deliberately absent: Kafka, models, lanes, clocks, Java's deserialization;
 * who measures the rows, and the choice of recent ones.
 */
@NullMarked
package dev.sluice.executor.latency;

import org.jspecify.annotations.NullMarked;
