/**
 * Learned latency: measured service times as rows of a file, what is fitted to them, how far that
 * can be trusted, and the file that carries it.
 *
 * <p>Units: service times are nanoseconds named {@code …Ns}, in files milliseconds named {@code
 * …_ms}; errors and residuals are differences of natural logarithms, so that 0.01 is about 1 %.
 * Equal rows and an equal seed give an equal model, bit for bit. Deliberately absent: Kafka,
 * models, lanes, clocks, Java's deserialization; which rows are recent enough is the caller's to
 * say.
 */
@NullMarked
package dev.sluice.executor.latency;

import org.jspecify.annotations.NullMarked;
