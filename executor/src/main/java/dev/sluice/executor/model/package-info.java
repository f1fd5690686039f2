/**
 * Models: the files of the built-in workloads, which Sluice writes itself, and inference on them
 * through DJL, in PyTorch and in ONNX Runtime.
 *
 * <p>A network is described once ({@link dev.sluice.executor.model.Network}); its two writers turn
 * the same operations and the same seeded random weights into TorchScript and into ONNX.
 *
 * <p>Units: sizes in bytes, counts of float32 elements, FLOPs where one multiply-add is two.
 * Deliberately absent: training, downloads, images and labels, lanes and queues, clocks.
 */
@NullMarked
package dev.sluice.executor.model;

import org.jspecify.annotations.NullMarked;
