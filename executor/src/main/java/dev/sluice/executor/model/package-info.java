/**
 * Inference through DJL, in PyTorch and in ONNX Runtime, and the cache of model files.
 *
 * <p>Units: sizes in bytes, counts of float32 elements. Deliberately absent: training, downloads,
 * images and labels, lanes and queues, clocks.
 */
@NullMarked
package dev.sluice.executor.model;

import org.jspecify.annotations.NullMarked;
