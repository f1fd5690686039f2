package dev.sluice.bench;

import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Drawn problems of the planner: transformer blocks of four layers on types of unlike speed, in six
 * families that are hard in ways of their own.
 */
final class PlanProblems {
  private static final double[] BLOCK_SECONDS = {0.28, 0.065, 0.28, 0.24};
  private static final long[] BLOCK_VALUES = {302_592, 302_592, 756_480, 151_296};
  private static final long BYTES_PER_VALUE = 8 * 4;
  private static final double MIB = 1024 * 1024;
  private static final double[] BLOCK_MIB = {25, 19.5, 27, 26.5};

  private PlanProblems() {}

  /** What makes a problem hard. */
  enum Family {
    /** Times of a transformer's layers, by a type's speed, 2 % about them. */
    VIT_LIKE,
    /** Times times 1/4 to 4, by layer and type. */
    UNRELATED,
    /** Memory of each type of 0.9 to 1.5 equal shares of all that the layers need. */
    MEMORY,
    /** Bandwidths at which some cuts take as long as a stage computes. */
    SLOW_LINKS,
    /** Layers all alike, in times and in what they put out. */
    EQUAL_LAYERS,
    /** One layer that takes as long as all others. */
    GIANT_LAYER
  }

  /** Returns a problem; the seed decides each number of it. */
  static PlanProblem drawn(Family family, int layers, int types, int hosts, long seed) {
    var random = new SplittableRandom(seed * 31 + family.name().hashCode());
    List<Double> layerBytes = new ArrayList<>();
    List<Long> cutBytes = new ArrayList<>(List.of(150_528 * BYTES_PER_VALUE));
    boolean equal = family == Family.EQUAL_LAYERS;
    for (int layer = 0; layer < layers; layer++) {
      layerBytes.add((equal ? BLOCK_MIB[0] : BLOCK_MIB[layer % 4]) * MIB);
      cutBytes.add((equal ? BLOCK_VALUES[0] : BLOCK_VALUES[layer % 4]) * BYTES_PER_VALUE);
    }
    cutBytes.set(layers, 1000 * BYTES_PER_VALUE);
    double neededBytes = layerBytes.stream().mapToDouble(Double::doubleValue).sum();
    int giant = random.nextInt(layers);
    double stageSeconds = layers * 0.22 / hosts;
    List<DeviceType> list = new ArrayList<>();
    for (int t = 0; t < types; t++) {
      int count = hosts / types + (t < hosts % types ? 1 : 0);
      double speed = random.nextDouble(0.6, 1.7);
      double[] seconds = new double[layers];
      for (int layer = 0; layer < layers; layer++) {
        double factor =
            switch (family) {
              case EQUAL_LAYERS -> 1;
              case UNRELATED -> Math.pow(4, random.nextDouble(-1, 1));
              default -> random.nextDouble(0.98, 1.02);
            };
        seconds[layer] = speed * factor * (equal ? 0.22 : BLOCK_SECONDS[layer % 4]);
      }
      if (family == Family.GIANT_LAYER) {
        seconds[giant] = speed * layers * 0.22;
      }
      double memoryBytes =
          family == Family.MEMORY
              ? neededBytes / hosts * random.nextDouble(0.9, 1.5) + 5 * largest(cutBytes)
              : 4096 * MIB;
      double bitsPerSecond =
          family == Family.SLOW_LINKS
              ? largest(cutBytes) * 8 / (stageSeconds * random.nextDouble(0.4, 4))
              : 1000 * MIB;
      list.add(
          new DeviceType("type-" + t, names(t, count), bitsPerSecond, memoryBytes, boxed(seconds)));
    }
    return new PlanProblem(layerBytes, cutBytes, 2, 2, list);
  }

  private static List<String> names(int type, int count) {
    String[] names = new String[count];
    Arrays.setAll(names, host -> type + "-" + host);
    return List.of(names);
  }

  private static List<Double> boxed(double[] values) {
    return Arrays.stream(values).boxed().toList();
  }

  private static double largest(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).max().orElseThrow();
  }
}
