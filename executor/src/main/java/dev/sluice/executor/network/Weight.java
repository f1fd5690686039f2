package dev.sluice.executor.network;

import java.util.Arrays;
import java.util.List;

/**
 * One tensor of a network's weights, by the rule that makes its values. So a network of 346 MB is a
 * list of rules, and one tensor at a time is in memory.
 *
 * @param name with dots, as torchvision names its weights
 * @param shape filters first: [out, in, height, width] or [out, in]; or any for the other rules
 * @param rule how the values are made
 * @param number the standard deviation of random values, or the constant
 */
record Weight(String name, List<Integer> shape, Rule rule, float number) {
  enum Rule {
    /** All values are {@link Weight#number}. */
    CONSTANT,
    /** Independent uniform values of mean 0. */
    RANDOM,
    /**
     * Random, then shifted so that at each tap of each filter the sum over the input channels is 0.
     * After a ReLU all channels share a positive mean; a plain random filter turns it into an
     * offset that is the same for all inputs and soon drowns them, so that one class would always
     * win. Such a filter ignores it.
     */
    RANDOM_ZERO_SUM
  }

  int elements() {
    return shape.stream().reduce(1, Math::multiplyExact);
  }

  /** The values, the last axis fastest: the same for the same workload on every machine. */
  float[] values(String workload) {
    var values = new float[elements()];
    if (rule == Rule.CONSTANT) {
      Arrays.fill(values, number);
      return values;
    }
    float halfWidth = number * 1.7320508f; // √3: of a uniform distribution of deviation 1
    SeededFloats.fill(
        SeededFloats.mix(SeededFloats.hash(workload + "/" + name)), halfWidth, values);
    if (rule == Rule.RANDOM_ZERO_SUM) {
      centre(values);
    }
    return values;
  }

  private void centre(float[] values) {
    int filters = shape.get(0);
    int channels = shape.get(1);
    int taps = values.length / filters / channels;
    for (int filter = 0; filter < filters; filter++) {
      for (int tap = 0; tap < taps; tap++) {
        int first = filter * channels * taps + tap;
        double sum = 0;
        for (int c = 0; c < channels; c++) {
          sum += values[first + c * taps];
        }
        float mean = (float) (sum / channels);
        for (int c = 0; c < channels; c++) {
          values[first + c * taps] -= mean;
        }
      }
    }
  }
}
