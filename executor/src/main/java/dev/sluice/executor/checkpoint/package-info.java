/**
 * A training's folder: each layer's parameters and optimizer state in a file of its own, and one
 * manifest that names the files of the last whole step. A process that dies at any moment leaves
 * that step behind.
 *
 * <p>Units: bytes; steps count from 1, and step 0 is the state before the first one. Deliberately
 * absent: engines, threads, clocks.
 */
@NullMarked
package dev.sluice.executor.checkpoint;

import org.jspecify.annotations.NullMarked;
