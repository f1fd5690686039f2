/**
 * Numbers for those who watch: what a process serves to Prometheus (its meters, their address, and
 * a server that answers {@code GET /metrics} alone), and the command {@code metrics}, which follows
 * a run's topic of that name.
 *
 * <p>Deliberately absent: what a meter counts, which each role knows and hands in.
 */
@NullMarked
package dev.sluice.harness.metrics;

import org.jspecify.annotations.NullMarked;
