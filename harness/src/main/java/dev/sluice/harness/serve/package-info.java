/**
 * What is served over HTTP. The page: static files, runs as JSON, and a stream of each live run,
 * which is read from its topics {@code runs} and {@code metrics} alone; a finished run is read from
 * its folder. To Prometheus: a process's meters at {@code GET /metrics}. Beside them the command
 * {@code metrics}, which follows a run's topic of that name.
 *
 * <p>Deliberately absent: a way to change anything, a path made of a request's text, what a meter
 * counts (each role hands it in), and a clock: what is shown is as old as its last record.
 */
@NullMarked
package dev.sluice.harness.serve;

import org.jspecify.annotations.NullMarked;
