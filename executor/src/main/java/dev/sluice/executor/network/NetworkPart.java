package dev.sluice.executor.network;

import dev.sluice.executor.network.Network.Dialect;
import dev.sluice.executor.network.Network.Operation;
import dev.sluice.executor.network.Network.Tensor;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Consecutive layers of a network. Parts one behind the other compute what the whole network
 * computes: each takes the tensors that the part before it gives, among them those that only a
 * later part reads.
 */
public record NetworkPart(
    String workload,
    List<Tensor> inputs,
    List<Tensor> outputs,
    List<Weight> weights,
    List<Operation> operations) {
  public NetworkPart {
    weights = List.copyOf(weights);
    operations = List.copyOf(operations);
  }

  public List<TensorShape> tensors() {
    return weights.stream()
        .map(weight -> TensorShape.float32(weight.name(), weight.shape()))
        .toList();
  }

  /** Whether training changes the tensor by a gradient; running statistics it counts. */
  public List<Boolean> haveGradients() {
    return weights.stream().map(Weight::hasGradient).toList();
  }

  /** Tells the operations, between casts of what comes in and goes out, which stays float32. */
  void tell(Dialect dialect, Precision precision) {
    boolean cast = precision != Precision.FP32;
    if (cast) {
      inputs.forEach(in -> dialect.convert(in.name(), given(in, precision), precision));
    }
    operations.forEach(dialect::write);
    if (cast) {
      outputs.forEach(out -> dialect.convert(given(out, precision), out.name(), Precision.FP32));
    }
  }

  /** Name of a float32 tensor that comes in or goes out, beside its name in the precision. */
  static String given(Tensor tensor, Precision precision) {
    return tensor.name() + (precision == Precision.FP32 ? "" : "_fp32");
  }

  /** Shapes of one sample, without the axis of samples. */
  public List<List<Integer>> inputShapes() {
    return inputs.stream().map(Tensor::shape).toList();
  }

  public List<List<Integer>> outputShapes() {
    return outputs.stream().map(Tensor::shape).toList();
  }

  public long weightBytes(Precision precision) {
    return weights.stream().mapToLong(precision::bytes).sum();
  }

  /**
   * Writes the float32 weights as safetensors, those of consecutive layers as one piece of the
   * file, and closes {@code out}.
   *
   * @param bytesWritten receives the bytes of each weight once they are written
   */
  public void writeWeights(OutputStream out, LongConsumer bytesWritten) throws IOException {
    try (out) {
      out.write(TensorShape.header(tensors()));
      for (Weight weight : weights) {
        out.write(Precision.FP32.littleEndian(weight.values(workload)));
        bytesWritten.accept(Precision.FP32.bytes(weight));
      }
    }
  }
}
