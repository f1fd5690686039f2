/** Lanes that wait instead of computing, by a latency table. */
@NullMarked
package dev.sluice.executor.emulation;

import org.jspecify.annotations.NullMarked;
