package dev.sluice.executor.network;

import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Operations as lines of TorchScript. */
final class TorchScriptSource implements Dialect {
  private final StringBuilder code;
  private final Function<Tensor, String> tensors;
  private final Function<Weight, String> weights;
  private final boolean training;

  /**
   * @param code receives the lines
   * @param tensors names of the tensors in the code; each tensor has one of its own
   * @param weights expressions that stand for the weights
   * @param training whether batch norms use the batch's statistics, and count them
   */
  TorchScriptSource(
      StringBuilder code,
      Function<Tensor, String> tensors,
      Function<Weight, String> weights,
      boolean training) {
    this.code = code;
    this.tensors = tensors;
    this.weights = weights;
    this.training = training;
  }

  private String name(Tensor tensor) {
    return tensors.apply(tensor);
  }

  private String weight(Weight weight) {
    return weights.apply(weight);
  }

  private void line(String name, String format, Object... values) {
    code.append("    ").append(name).append(" = ");
    code.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  void convert(String out, String in, Precision precision) {
    line(out, "torch.to(%s, %d)", in, precision.torchScalarType);
  }

  @Override
  public void convolve(
      Tensor out, Tensor in, Weight kernel, @Nullable Weight bias, int stride, int padding) {
    line(
        name(out),
        "torch.conv2d(%s, %s, %s, [%d, %d], [%d, %d], [1, 1], 1)",
        name(in),
        weight(kernel),
        bias == null ? "None" : weight(bias),
        stride,
        stride,
        padding,
        padding);
  }

  @Override
  public void batchNorm(Tensor out, Tensor in, BatchNorm norm) {
    line(
        name(out),
        "torch.batch_norm(%s, %s, %s, %s, %s, %s, 0.10000000000000001, %s, True)",
        name(in),
        weight(norm.scale()),
        weight(norm.shift()),
        weight(norm.mean()),
        weight(norm.variance()),
        training ? "True" : "False",
        norm.epsilon());
  }

  @Override
  public void relu(Tensor out, Tensor in) {
    line(name(out), "torch.relu_(%s)", name(in));
  }

  @Override
  public void maxPool(Tensor out, Tensor in, int kernel, int stride, int padding) {
    line(
        name(out),
        "torch.max_pool2d(%s, [%d, %d], [%d, %d], [%d, %d], [1, 1], False)",
        name(in),
        kernel,
        kernel,
        stride,
        stride,
        padding,
        padding);
  }

  @Override
  public void add(Tensor out, Tensor left, Tensor right) {
    line(name(out), "torch.add(%s, %s)", name(left), name(right));
  }

  @Override
  public void addWeight(Tensor out, Tensor in, Weight weight) {
    line(name(out), "torch.add(%s, %s)", name(in), weight(weight));
  }

  @Override
  public void averagePool(Tensor out, Tensor in) {
    line(name(out), "torch.flatten(torch.adaptive_avg_pool2d(%s, [1, 1]), 1)", name(in));
  }

  @Override
  public void linear(Tensor out, Tensor in, Weight matrix, Weight bias) {
    line(name(out), "torch.linear(%s, %s, %s)", name(in), weight(matrix), weight(bias));
  }

  @Override
  public void layerNorm(Tensor out, Tensor in, Weight scale, Weight shift, float epsilon) {
    line(
        name(out),
        "torch.layer_norm(%s, [%d], %s, %s, %s, False)",
        name(in),
        scale.elements(),
        weight(scale),
        weight(shift),
        epsilon);
  }

  @Override
  public void gelu(Tensor out, Tensor in) {
    line(name(out), "torch.gelu(%s, approximate=\"none\")", name(in));
  }

  @Override
  public void patchesToTokens(Tensor out, Tensor in) {
    line(name(out), "torch.transpose(torch.flatten(%s, 2), 1, 2)", name(in));
  }

  @Override
  public void prependToken(Tensor out, Tensor in, Weight token) {
    line(
        name(out),
        "torch.cat([torch.expand(%s, [torch.size(%s, 0), -1, -1]), %s], 1)",
        weight(token),
        name(in),
        name(in));
  }

  @Override
  public void selfAttention(Tensor out, Tensor in, int heads) {
    int tokens = out.axis(0);
    int width = out.axis(1);
    String parts = name(out) + "_parts";
    line(
        parts,
        "torch.permute(torch.reshape(%s, [-1, %d, 3, %d, %d]), [2, 0, 3, 1, 4])",
        name(in),
        tokens,
        heads,
        width / heads);
    String heard = name(out) + "_heard";
    line(
        heard,
        "torch.scaled_dot_product_attention("
            + "torch.select(%1$s, 0, 0), torch.select(%1$s, 0, 1), torch.select(%1$s, 0, 2))",
        parts);
    line(name(out), "torch.reshape(torch.transpose(%s, 1, 2), [-1, %d, %d])", heard, tokens, width);
  }

  @Override
  public void firstToken(Tensor out, Tensor in) {
    line(name(out), "torch.select(%s, 1, 0)", name(in));
  }
}
