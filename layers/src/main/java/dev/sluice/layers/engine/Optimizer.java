package dev.sluice.layers.engine;

import ai.djl.ndarray.NDArray;
import java.util.Arrays;
import java.util.List;

/**
 * Rules that change a parameter by its gradient. Their state is tensors of the parameter's shape,
 * which begin as zeros and travel with the parameter.
 */
enum Optimizer {
  /**
   * Gradient descent with momentum, as PyTorch has it: the momentum becomes 0.9 × itself + the
   * gradient, and the parameter loses 0.01 × the momentum.
   */
  SGD("sgd") {
    @Override
    List<String> stateNames() {
      return List.of("momentum");
    }

    @Override
    void update(NDArray parameter, NDArray gradient, List<NDArray> state, int step) {
      NDArray momentum = state.get(0).muli(0.9f).addi(gradient);
      try (NDArray change = momentum.mul(0.01f)) {
        parameter.subi(change);
      }
    }
  },

  /**
   * Kingma, Ba: Adam, a Method for Stochastic Optimization, 2015, algorithm 1, with its own
   * constants: rate 0.001, decays 0.9 and 0.999, epsilon 1e-8.
   */
  ADAM("adam") {
    @Override
    List<String> stateNames() {
      return List.of("exp_avg", "exp_avg_sq");
    }

    @Override
    void update(NDArray parameter, NDArray gradient, List<NDArray> state, int step) {
      NDArray mean = state.get(0).muli(0.9f);
      NDArray square = state.get(1).muli(0.999f);
      double meanWeight = 1 - Math.pow(0.9, step);
      double squareWeight = 1 - Math.pow(0.999, step);
      try (NDArray part = gradient.mul(0.1f);
          NDArray squared = gradient.square()) {
        mean.addi(part);
        square.addi(squared.muli(0.001f));
      }
      try (NDArray deviation = square.sqrt();
          NDArray change = mean.mul((float) (0.001 / meanWeight))) {
        deviation.muli((float) (1 / Math.sqrt(squareWeight))).addi(1e-8f);
        parameter.subi(change.divi(deviation));
      }
    }
  };

  private final String configName;

  Optimizer(String configName) {
    this.configName = configName;
  }

  /** Returns the names of all rules, as a user writes them. */
  static List<String> names() {
    return Arrays.stream(values()).map(optimizer -> optimizer.configName).toList();
  }

  /** Returns the rule of a name; throws an IllegalArgumentException if there is none. */
  static Optimizer named(String name) {
    return Arrays.stream(values())
        .filter(optimizer -> optimizer.configName.equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("optimizer (" + name + ") is unknown"));
  }

  /** Returns what the tensors of the state are called, behind the parameter's name and a dot. */
  abstract List<String> stateNames();

  /** Changes a parameter in place, and its state, in a step that counts from 1. */
  abstract void update(NDArray parameter, NDArray gradient, List<NDArray> state, int step);
}
