/**
 * The page over HTTP: static files, runs as JSON, and a stream of each live run. A live run is read
 * from its topics {@code runs}, {@code metrics} and {@code lanes} alone; a finished one from its
 * folder.
 *
 * <p>Deliberately absent: a way to change anything, a path made of a request's text, and a clock:
 * what is shown is as old as its last record.
 */
@NullMarked
package dev.sluice.harness.serve;

import org.jspecify.annotations.NullMarked;
