package dev.sluice.planning.split;

import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What stages cost, by class of host. Types alike in times, bandwidth and memory are one class;
 * types without hosts are none. A stage is a pair of cuts: it holds the layers behind the first
 * cut, up to the second.
 */
final class StageCosts {
  final int layers;
  final int classes;

  /** Hosts that a plan may use, by class: at most as many as layers, and as may be used in all. */
  final int[] capacity;

  final double[] bitsPerSecond;
  final double[] memoryBytes;
  final long[] cutBytes;

  /** Bandwidths, each once, in rising order, and the place of its own by class. */
  final double[] bandwidths;

  final int[] bandwidthOf;

  private final PlanProblem problem;

  /** Hosts as pairs of type and host, by class, in the order in which a plan uses them. */
  private final List<List<int[]>> hosts = new ArrayList<>();

  /** Compute times up to each cut, by class. */
  private final PrefixSums[] seconds;

  private final PrefixSums bytes;

  /** Times to send each cut, by bandwidth; the model's input needs none. */
  private final double[][] sendSeconds;

  /** Last cuts of stages whose layers alone fit, by class and first cut. */
  private final int[][] lastEnds;

  StageCosts(PlanProblem problem, int hostsMax) {
    this.problem = problem;
    layers = problem.layers();
    cutBytes = problem.cutBytes().stream().mapToLong(Long::longValue).toArray();
    bytes = new PrefixSums(problem.layerBytes());
    List<DeviceType> kinds = new ArrayList<>();
    for (int t = 0; t < problem.types().size(); t++) {
      DeviceType type = problem.types().get(t);
      int alike = 0;
      while (alike < kinds.size() && !kinds.get(alike).isLike(type)) {
        alike++;
      }
      if (alike == kinds.size() && !type.hosts().isEmpty()) {
        kinds.add(type);
        hosts.add(new ArrayList<>());
      }
      for (int host = 0; host < type.hosts().size(); host++) {
        hosts.get(alike).add(new int[] {t, host});
      }
    }
    classes = kinds.size();
    capacity = new int[classes];
    Arrays.setAll(capacity, t -> Math.min(Math.min(layers, hostsMax), hosts.get(t).size()));
    bitsPerSecond = kinds.stream().mapToDouble(DeviceType::bitsPerSecond).toArray();
    memoryBytes = kinds.stream().mapToDouble(DeviceType::memoryBytes).toArray();
    seconds = kinds.stream().map(k -> new PrefixSums(k.layerSeconds())).toArray(PrefixSums[]::new);
    bandwidths = Arrays.stream(bitsPerSecond).distinct().sorted().toArray();
    bandwidthOf = new int[classes];
    Arrays.setAll(bandwidthOf, t -> Arrays.binarySearch(bandwidths, bitsPerSecond[t]));
    sendSeconds = new double[bandwidths.length][layers + 1];
    for (int bandwidth = 0; bandwidth < bandwidths.length; bandwidth++) {
      for (int cut = 1; cut <= layers; cut++) {
        sendSeconds[bandwidth][cut] = Pricing.transferSeconds(cutBytes[cut], bandwidths[bandwidth]);
      }
    }
    lastEnds = new int[classes][layers];
    for (int t = 0; t < classes; t++) {
      int last = 0;
      for (int from = 0; from < layers; from++) {
        last = Math.max(last, from);
        while (last < layers && Pricing.fits(layerBytes(from, last + 1), memoryBytes[t])) {
          last++;
        }
        lastEnds[t][from] = last;
      }
    }
  }

  /** Place of the type of a class's host in the order that decides between equal plans. */
  int typeOf(int hostClass, int used) {
    return hosts.get(hostClass).get(used)[0];
  }

  double seconds(int hostClass, int from, int to) {
    return seconds[hostClass].between(from, to);
  }

  /** Memory of the layers between two cuts, without buffers. */
  double layerBytes(int from, int to) {
    return bytes.between(from, to);
  }

  /** Time to send the cut from a host of the bandwidth to one of the class. */
  double transferSeconds(int cut, int bandwidth, int hostClass) {
    return sendSeconds[Math.min(bandwidth, bandwidthOf[hostClass])][cut];
  }

  /** First cut at which a stage may end: a bandwidth of 0 carries no other cut than the last. */
  int firstEnd(int hostClass, int from) {
    return bitsPerSecond[hostClass] > 0 ? from + 1 : layers;
  }

  /** Last cut at which a stage may end; longer ones do not fit. */
  int lastEnd(int hostClass, int from) {
    return lastEnds[hostClass][from];
  }

  /** Returns whether the stage fits, wherever its bandwidth may reach. */
  boolean fits(int hostClass, int from, int to) {
    if (to <= from || to > lastEnds[hostClass][from]) {
      return false;
    }
    double in = (double) cutBytes[from] * ((from == 0 ? 0 : problem.buffersIn()) + 1);
    double out = (double) cutBytes[to] * (problem.buffersOut() + 1);
    return Pricing.fits(layerBytes(from, to) + in + out, memoryBytes[hostClass]);
  }

  /** The priced plan of a split, with the first host of each class that is not used before. */
  Plan plan(Split split) {
    int[] used = new int[classes];
    List<Stage> stages = new ArrayList<>();
    for (int i = 0; i < split.size(); i++) {
      int[] host = hosts.get(split.hostClass(i)).get(used[split.hostClass(i)]++);
      stages.add(new Stage(host[0], host[1], split.from(i) + 1, split.to(i)));
    }
    return Pricing.price(problem, stages).plan();
  }

  /** The largest compute or transfer time of a split. */
  double bottleneckSeconds(Split split) {
    double largest = 0;
    for (int i = 0; i < split.size(); i++) {
      largest = Math.max(largest, seconds(split.hostClass(i), split.from(i), split.to(i)));
      int before = i == 0 ? 0 : bandwidthOf[split.hostClass(i - 1)];
      largest = Math.max(largest, transferSeconds(split.from(i), before, split.hostClass(i)));
    }
    return largest;
  }

  /** Stages of a plan: the class of host and the last cut of each. */
  record Split(List<Integer> hostClasses, List<Integer> ends) {
    int size() {
      return ends.size();
    }

    int hostClass(int stage) {
      return hostClasses.get(stage);
    }

    int from(int stage) {
      return stage == 0 ? 0 : ends.get(stage - 1);
    }

    int to(int stage) {
      return ends.get(stage);
    }
  }

  /** Sums up to each place, with what rounding took from them, so that differences are exact. */
  private static final class PrefixSums {
    private final double[] sums;
    private final double[] rests;

    PrefixSums(List<Double> values) {
      sums = new double[values.size() + 1];
      rests = new double[values.size() + 1];
      for (int i = 0; i < values.size(); i++) {
        double value = values.get(i);
        double sum = sums[i] + value;
        double shareOfValue = sum - sums[i];
        rests[i + 1] = rests[i] + ((sums[i] - (sum - shareOfValue)) + (value - shareOfValue));
        sums[i + 1] = sum;
      }
    }

    double between(int from, int to) {
      return (sums[to] - sums[from]) + (rests[to] - rests[from]);
    }
  }
}
