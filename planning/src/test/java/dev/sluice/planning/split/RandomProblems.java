package dev.sluice.planning.split;

import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Small problems by seed: a third with tight memory, with unlike bandwidths, with whole numbers.
 */
final class RandomProblems {
  private final SplittableRandom random;

  RandomProblems(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Returns a problem of at most these layers, hosts and types, of the kind 0, 1 or 2. */
  PlanProblem problem(int layersMax, int hostsMax, int typesMax, int kind) {
    boolean whole = kind == 2;
    int layers = 1 + Math.max(random.nextInt(layersMax), random.nextInt(layersMax));
    List<Double> layerBytes = new ArrayList<>();
    List<Long> cutBytes = new ArrayList<>(List.of(random.nextLong(whole ? 3 : 100)));
    double all = 0;
    double largest = 0;
    for (int layer = 0; layer < layers; layer++) {
      double bytes = whole ? random.nextInt(4) : random.nextDouble(1, 100);
      layerBytes.add(bytes);
      all += bytes;
      largest = Math.max(largest, bytes);
      cutBytes.add(whole ? random.nextLong(3) : random.nextLong(1, kind == 0 ? 100 : 1000));
    }
    List<DeviceType> types = new ArrayList<>();
    int left = 1 + Math.max(random.nextInt(hostsMax), random.nextInt(hostsMax));
    int count = 1 + random.nextInt(typesMax);
    int hostsAll = left;
    List<Double> shared = times(layers, whole);
    for (int t = 0; t < count; t++) {
      int hosts = t == count - 1 ? left : random.nextInt(left + 1);
      left -= hosts;
      List<String> names = new ArrayList<>();
      for (int host = 0; host < hosts; host++) {
        names.add(t + "-" + host);
      }
      double memory;
      double bandwidth;
      if (kind == 0) {
        memory = (all / hostsAll + largest + 100) * random.nextDouble(0.7, 1.9);
        bandwidth = 8 * random.nextDouble(20, 100);
      } else if (kind == 1) {
        memory = random.nextInt(4) == 0 ? all * 0.7 + 2000 : 1e6;
        bandwidth = random.nextInt(10) == 0 ? 0 : 8 * Math.pow(10, random.nextDouble(1, 4));
      } else {
        memory = 6 + random.nextInt(2 * layers + 6);
        bandwidth = random.nextInt(8) == 0 ? 0 : 8 * (1 + random.nextInt(3));
      }
      List<Double> seconds = random.nextInt(3) == 0 ? shared : times(layers, whole);
      types.add(new DeviceType("t" + t, names, bandwidth, memory, seconds));
    }
    return new PlanProblem(layerBytes, cutBytes, random.nextInt(3), random.nextInt(3), types);
  }

  private List<Double> times(int layers, boolean whole) {
    List<Double> seconds = new ArrayList<>();
    double scale = random.nextDouble(0.5, 2);
    for (int layer = 0; layer < layers; layer++) {
      seconds.add(whole ? random.nextInt(4) : scale * random.nextDouble(1, 10));
    }
    return seconds;
  }
}
