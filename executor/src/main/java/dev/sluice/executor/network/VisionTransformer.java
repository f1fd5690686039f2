package dev.sluice.executor.network;

import dev.sluice.executor.network.Network.Tensor;

/**
 * Vision transformers as torchvision builds them: Dosovitskiy et al., An Image is Worth 16x16
 * Words, 2021. Patches of 16×16, a class token, learned positions, norms before each half of a
 * block, exact GELU, the head on the class token.
 *
 * <p>A block has four layers, cut as PipeEdge cuts it (Hu et al., Pipeline Parallelism for
 * Inference on Heterogeneous Edge Computing, 2021): up to the attention, the projection of its
 * result, the first half of the perceptron, the second.
 */
record VisionTransformer(Network network, int width, int heads) {
  private static final int PATCH = 16;
  private static final int MICRO_PATCH = 4;
  private static final int MICRO_SIDE = 32;
  private static final int MICRO_CLASSES = 10;

  /**
   * Gain that gives queries × keys a deviation of 3: each token then attends to a few others, not
   * to their mean.
   */
  private static final float ATTENTION_GAIN = 3;

  /**
   * Gain 1 / the variance of GELU(z), z standard normal, which keeps the variance of a zero-sum
   * layer's results at 1.
   */
  private static final float GELU_GAIN = 2.9f;

  static Network of(String workload, int blocks, int width, int heads) {
    return new VisionTransformer(new Network(workload), width, heads)
        .build(blocks, PATCH, Network.CLASSES);
  }

  /**
   * Returns a small transformer for pictures of 32 × 32 pixels in 10 classes: patches of 4×4, six
   * blocks of width 64 with four heads.
   */
  static Network micro(String workload) {
    return new VisionTransformer(new Network(workload, MICRO_SIDE), 64, 4)
        .build(6, MICRO_PATCH, MICRO_CLASSES);
  }

  private Network build(int blocks, int patch, int classes) {
    network.beginBlock("embedding");
    Tensor x = network.convolvePatches(network.input(), "conv_proj", width, patch, 1);
    x = network.prependToken(network.patchesToTokens(x), "class_token");
    x = network.addPositions(x, "encoder.pos_embedding", 0.02f);
    for (int block = 0; block < blocks; block++) {
      if (block > 0) {
        network.endLayer();
      }
      network.beginBlock("block_" + block);
      x = block(x, "encoder.layers.encoder_layer_" + block);
    }
    network.beginBlock("head");
    x = network.firstToken(network.layerNorm(x, "encoder.ln"));
    network.linear(x, "heads.head", classes, 1);
    return network;
  }

  private Tensor block(Tensor in, String name) {
    Tensor attended = network.layerNorm(in, name + ".ln_1");
    attended =
        network.linear(attended, name + ".self_attention.in_proj", 3 * width, ATTENTION_GAIN);
    attended = network.selfAttention(attended, heads);
    network.endLayer();
    attended = network.linear(attended, name + ".self_attention.out_proj", width, 1);
    Tensor middle = network.add(in, attended);
    network.endLayer();
    Tensor x = network.layerNorm(middle, name + ".ln_2");
    x = network.gelu(network.linear(x, name + ".mlp.0", 4 * width, 1));
    network.endLayer();
    x = network.linear(x, name + ".mlp.3", width, GELU_GAIN);
    return network.add(middle, x);
  }
}
