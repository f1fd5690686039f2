package dev.sluice.layers.engine;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.nn.Block;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Computing of modules without weights, with and without a graph for gradients. */
final class Gradients {
  private Gradients() {}

  /** Mean cross entropy of logits, by the natural logarithm. */
  static NDArray loss(NDArray logits, NDArray oneHotLabels) {
    return logits.logSoftmax(1).mul(oneHotLabels).sum().div(-logits.getShape().get(0));
  }

  /** A loss, and its gradient by the logits. */
  record Loss(float value, NDArray gradient) {}

  static Loss ofLoss(NDArray logits, NDArray oneHotLabels, NDManager manager) {
    try (NDManager scope = manager.newSubManager();
        GradientCollector collector = collector()) {
      NDArray leaf = leaf(logits, scope);
      NDArray loss = loss(leaf, oneHotLabels);
      collector.backward(loss);
      return new Loss(loss.getFloat(), detached(leaf.getGradient(), manager));
    }
  }

  /** Computes a module without a graph. The running statistics that it is given are counted. */
  static NDArray forward(Block module, NDArray in, NDList weights, NDManager manager) {
    var arguments = new NDList(in); // first, since its manager takes the result
    arguments.addAll(weights);
    return module.forward(new ParameterStore(manager, false), arguments, false).singletonOrThrow();
  }

  /**
   * Computes a module with a graph, and the gradients of a number made of its result. Counts the
   * running statistics.
   *
   * @param tensors all tensors of the layers; takes the gradients into their places
   * @param scalar makes a number of the module's result
   * @param manager takes the gradient by the input; null: that gradient is not wanted
   * @return gradient by the input
   */
  static @Nullable NDArray backward(
      Block module,
      NDArray in,
      NDList tensors,
      TrainedTensors layout,
      @Nullable NDManager manager,
      UnaryOperator<NDArray> scalar) {
    try (NDManager scope = NDManager.newBaseManager(Device.cpu(), "PyTorch");
        GradientCollector collector = collector()) {
      NDArray inLeaf = leaf(in, scope);
      inLeaf.setRequiresGradient(manager != null);
      var arguments = new NDList(inLeaf);
      for (int weight = 0; weight < layout.weights(); weight++) {
        NDArray tensor = tensors.get(weight);
        arguments.add(layout.hasGradient(weight) ? leaf(tensor, scope) : tensor);
      }
      NDArray out =
          module.forward(new ParameterStore(scope, false), arguments, true).singletonOrThrow();
      collector.backward(scalar.apply(out));
      int at = layout.stored().size();
      for (int weight = 0; weight < layout.weights(); weight++) {
        if (layout.hasGradient(weight)) {
          copy(arguments.get(weight + 1).getGradient(), tensors.get(at));
          at++;
        }
      }
      return manager == null ? null : detached(inLeaf.getGradient(), manager);
    }
  }

  private static GradientCollector collector() {
    return Engine.getEngine("PyTorch").newGradientCollector();
  }

  /** Returns a tensor over equal memory that collects a gradient of its own. */
  private static NDArray leaf(NDArray tensor, NDManager scope) {
    NDArray leaf = scope.create(tensor.toByteBuffer(true), tensor.getShape(), DataType.FLOAT32);
    leaf.setRequiresGradient(true);
    return leaf;
  }

  private static NDArray detached(NDArray gradient, NDManager manager) {
    gradient.attach(manager);
    return gradient;
  }

  /** Copies bytes, since a sum would turn −0 into 0. */
  static void copy(NDArray from, NDArray to) {
    ByteBuffer target = to.toByteBuffer(true);
    target.put(from.toByteBuffer(true));
  }
}
