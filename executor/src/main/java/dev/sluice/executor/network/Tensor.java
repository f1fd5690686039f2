package dev.sluice.executor.network;

import java.util.List;

/**
 * A value between two operations.
 *
 * @param shape shape of one sample, without the batch axis
 */
record Tensor(String name, List<Integer> shape) {
  int elements() {
    return shape.stream().reduce(1, Math::multiplyExact);
  }

  int axis(int index) {
    return shape.get(index);
  }
}
