/**
 * Parameters of networks in files of the safetensors format (one header, checked whole, then the
 * tensors' bytes, of which any piece can be read alone), and the folder of a training: each layer's
 * parameters and optimizer state in a file of its own, and one manifest that names the files of the
 * last whole step. A process that dies at any moment leaves that step behind.
 *
 * <p>Units: offsets and sizes in bytes, offsets from the start of the file; steps count from 1, and
 * step 0 is the state before the first one. Deliberately absent: engines, networks, threads,
 * clocks.
 */
@NullMarked
package dev.sluice.layers.parameters;

import org.jspecify.annotations.NullMarked;
