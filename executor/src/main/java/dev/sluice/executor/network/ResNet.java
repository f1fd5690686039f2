package dev.sluice.executor.network;

import dev.sluice.executor.network.Network.Tensor;
import dev.sluice.executor.network.Weight.Rule;

/**
 * Residual networks as torchvision builds them: He, Zhang, Ren, Sun, Deep Residual Learning for
 * Image Recognition, 2016; with bottlenecks the variant "v1.5", whose stride is in the 3×3
 * convolution. A layer is the stem, a residual block, or the head.
 */
record ResNet(Network network, boolean bottleneck) {
  /** Width of the first stage; each further one has twice the width of the one before. */
  private static final int FIRST_WIDTH = 64;

  /**
   * Gain 1 / the variance of max(z, 0), z standard normal, which keeps the variance of a zero-sum
   * filter's results at 1.
   */
  private static final float RELU_GAIN = 2.93f;

  /**
   * Gain of the head, found by measuring: it gives logits of deviation 1. The mean over all
   * positions leaves little of the differences between random inputs.
   */
  private static final float HEAD_GAIN = 64;

  /** Scale of the last norm of each block, so that the sum over the blocks does not explode. */
  private static final float BRANCH_SCALE = 0.3f;

  private static final int SMALL_SIDE = 32;
  private static final int SMALL_CLASSES = 10;

  static Network resnet18(String workload) {
    return new ResNet(new Network(workload), false).build(false, 2, 2, 2, 2);
  }

  static Network resnet50(String workload) {
    return new ResNet(new Network(workload), true).build(false, 3, 4, 6, 3);
  }

  /**
   * Returns ResNet-18 for pictures of 32 × 32 pixels in 10 classes: its stem is a convolution of
   * 3×3 without stride or pooling, as in the paper's section 4.2.
   */
  static Network resnet18Small(String workload) {
    return new ResNet(new Network(workload, SMALL_SIDE), false).build(true, 2, 2, 2, 2);
  }

  private Network build(boolean small, int... blocksOfStage) {
    network.beginBlock("conv1");
    Tensor x =
        network.convolve(
            network.input(), "conv1", 64, small ? 3 : 7, small ? 1 : 2, Rule.RANDOM, 1);
    x = network.relu(network.batchNorm(x, "bn1", 1));
    if (!small) {
      x = network.maxPool(x, 3, 2, 1);
    }
    network.endLayer();
    for (int stage = 0; stage < blocksOfStage.length; stage++) {
      for (int block = 0; block < blocksOfStage[stage]; block++) {
        int stride = stage > 0 && block == 0 ? 2 : 1;
        String name = "layer" + (stage + 1) + "." + block;
        network.beginBlock(name);
        x = block(x, name, FIRST_WIDTH << stage, stride);
        network.endLayer();
      }
    }
    network.beginBlock("fc");
    network.linear(
        network.averagePool(x),
        "fc",
        small ? SMALL_CLASSES : Network.CLASSES,
        small ? 1 : HEAD_GAIN);
    return network;
  }

  private Tensor block(Tensor in, String name, int width, int stride) {
    int channels = bottleneck ? 4 * width : width;
    Tensor branch = bottleneck ? narrow(in, name, width, stride) : basic(in, name, width, stride);
    Tensor shortcut = in;
    if (stride != 1 || in.axis(0) != channels) {
      shortcut =
          network.convolve(
              in, name + ".downsample.0", channels, 1, stride, Rule.RANDOM_ZERO_SUM, RELU_GAIN);
      shortcut = network.batchNorm(shortcut, name + ".downsample.1", 1);
    }
    return network.relu(network.add(branch, shortcut));
  }

  private Tensor basic(Tensor in, String name, int width, int stride) {
    Tensor x = network.relu(step(in, name, 1, width, 3, stride, 1));
    return step(x, name, 2, width, 3, 1, BRANCH_SCALE);
  }

  private Tensor narrow(Tensor in, String name, int width, int stride) {
    Tensor x = network.relu(step(in, name, 1, width, 1, 1, 1));
    x = network.relu(step(x, name, 2, width, 3, stride, 1));
    return step(x, name, 3, 4 * width, 1, 1, BRANCH_SCALE);
  }

  private Tensor step(
      Tensor in, String block, int number, int channels, int size, int stride, float scale) {
    Tensor x =
        network.convolve(
            in, block + ".conv" + number, channels, size, stride, Rule.RANDOM_ZERO_SUM, RELU_GAIN);
    return network.batchNorm(x, block + ".bn" + number, scale);
  }
}
