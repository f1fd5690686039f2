/**
 * What a process serves to Prometheus: its meters, the address where they are served, and a server
 * that answers {@code GET /metrics} alone.
 *
 * <p>Deliberately absent: what a meter counts, which each role knows and hands in.
 */
@NullMarked
package dev.sluice.harness.prometheus;

import org.jspecify.annotations.NullMarked;
