/**
 * Values by which a driver meets the core beside the log's records: settings, the listener to
 * decisions, and the entities of the core's state.
 *
 * <p>Units: every time is a {@code long} of nanoseconds since time zero of the run, named {@code
 * …Ns}. Deliberately absent: formats and topics, which are the drivers'.
 */
@NullMarked
package dev.sluice.scheduling.driver;

import org.jspecify.annotations.NullMarked;
