/**
 * Built-in networks: each is described once ({@link dev.sluice.executor.network.Network}), and two
 * writers turn its operations and seeded random weights into TorchScript and into ONNX.
 *
 * <p>Units: FLOPs, where one multiply-add is two. Deliberately absent: engines, training.
 */
@NullMarked
package dev.sluice.executor.network;

import org.jspecify.annotations.NullMarked;
