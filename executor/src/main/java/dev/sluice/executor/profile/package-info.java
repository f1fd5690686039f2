/**
 * Measured service times: their keys and rows, the plan of a profile, and its file.
 *
 * <p>Units: nanoseconds named {@code …Ns}; in files, milliseconds named {@code …_ms}. Deliberately
 * absent: what is fitted to the rows, and who measures them.
 */
@NullMarked
package dev.sluice.executor.profile;

import org.jspecify.annotations.NullMarked;
