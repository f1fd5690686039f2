/**
 * Parameters of networks in files of the safetensors format: one header, checked whole, then the
 * tensors' bytes, of which any piece can be read alone.
 *
 * <p>Units: offsets and sizes in bytes, offsets from the start of the file. Deliberately absent:
 * engines, networks, threads.
 */
@NullMarked
package dev.sluice.executor.parameters;

import org.jspecify.annotations.NullMarked;
