package dev.sluice.executor.network;

import dev.sluice.contract.value.SplitMix64;
import java.util.Arrays;
import java.util.List;

/**
 * One tensor of a network's weights, given by the rule that makes its values. A network of 346 MB
 * is therefore a list of rules, and only one tensor at a time is in memory.
 *
 * @param name with dots, as torchvision names its weights
 * @param shape shape of the tensor; for {@link Rule#RANDOM_ZERO_SUM} filters first: [out, in,
 *     height, width] or [out, in]
 * @param number the standard deviation of random values, or the constant
 */
record Weight(String name, List<Integer> shape, Rule rule, float number) implements Network.Value {
  static final String RUNNING_MEAN = ".running_mean";
  static final String RUNNING_VARIANCE = ".running_var";

  enum Rule {
    /** All values are {@link Weight#number}. */
    CONSTANT,
    /** Independent uniform values of mean 0. */
    RANDOM,
    /**
     * Random values, shifted so that at each tap of each filter the sum over the input channels is
     * 0. After a ReLU all channels share a positive mean. A plain random filter turns that mean
     * into an offset that is equal for all inputs and soon outweighs them, so that one class would
     * always win. A zero-sum filter ignores the mean.
     */
    RANDOM_ZERO_SUM
  }

  /** Tells whether training changes the values by gradients; running statistics it counts. */
  boolean hasGradient() {
    return !name.endsWith(RUNNING_MEAN) && !name.endsWith(RUNNING_VARIANCE);
  }

  /** Returns the values, the last axis fastest; they are equal for a workload on every machine. */
  float[] values(String workload) {
    var values = new float[elements()];
    if (rule == Rule.CONSTANT) {
      Arrays.fill(values, number);
      return values;
    }
    float halfWidth = number * 1.7320508f; // √3 gives a deviation of 1
    SeededFloats.fill(
        SplitMix64.finish(SeededFloats.hash(workload + "/" + name)), halfWidth, values);
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
