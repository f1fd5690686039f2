package dev.sluice.planning.split;

import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What stages cost, by class of host. Types alike in times, bandwidth and memory are one class;
 * types without hosts are none. A stage is a pair of cuts: it holds the layers behind the first
 * cut, up to the second.
 */
final class StageCosts {
  /** Share within which two values are equal. */
  static final double EQUAL_SHARE = 1e-12;

  final int layers;
  final int classes;

  /**
   * Hosts that a plan may use, by class: at most as many as layers, and as a plan may use in all.
   */
  final int[] capacity;

  final double[] bitsPerSecond;
  final double[] memoryBytes;
  final long[] cutBytes;

  /** Words of a set of cuts. */
  final int words;

  private final PlanProblem problem;

  /** Hosts as pairs of type and host, by class, in the order in which a plan uses them. */
  private final List<List<int[]>> hosts = new ArrayList<>();

  /** Compute times up to each cut, by class. */
  private final PrefixSums[] seconds;

  private final PrefixSums bytes;

  /**
   * Sets of the last cuts of stages that fit, by class and first cut; the first word is that of the
   * first cut.
   */
  private final long[][][] fits;

  StageCosts(PlanProblem problem, int hostsMax) {
    this.problem = problem;
    layers = problem.layers();
    words = (layers >> 6) + 1;
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
    fits = new long[classes][layers][];
    for (int t = 0; t < classes; t++) {
      fillFits(t);
    }
  }

  /**
   * Returns the place of the type of a class's host in the order that decides between equal plans.
   */
  int typeOf(int hostClass, int used) {
    return hosts.get(hostClass).get(used)[0];
  }

  /** Compute time of the stage between two cuts. */
  double seconds(int hostClass, int from, int to) {
    return seconds[hostClass].between(from, to);
  }

  /** Memory of the layers between two cuts, without buffers. */
  double layerBytes(int from, int to) {
    return bytes.between(from, to);
  }

  /** Time to send what crosses the cut at the class's own bandwidth. */
  double transferSeconds(int hostClass, int cut) {
    return Pricing.transferSeconds(cutBytes[cut], bitsPerSecond[hostClass]);
  }

  /** Time to send what crosses the cut between hosts of two classes. */
  double transferSeconds(int hostClass, int nextClass, int cut) {
    return Pricing.transferSeconds(
        cutBytes[cut], Math.min(bitsPerSecond[hostClass], bitsPerSecond[nextClass]));
  }

  /** Set of the last cuts of stages that fit; its first word is that of the first cut. */
  long[] fitting(int hostClass, int from) {
    return fits[hostClass][from];
  }

  /** Returns whether the stage fits, wherever its bandwidth may reach. */
  boolean fits(int hostClass, int from, int to) {
    long[] row = fits[hostClass][from];
    int word = (to >> 6) - (from >> 6);
    return word < row.length && (row[word] >>> to & 1) != 0;
  }

  /** Returns the stages of a split, with the first host of each class that is not used before. */
  List<Stage> stages(Split split) {
    int[] used = new int[classes];
    return IntStream.range(0, split.size())
        .mapToObj(
            i -> {
              int[] host = hosts.get(split.hostClass(i)).get(used[split.hostClass(i)]++);
              return new Stage(host[0], host[1], split.from(i) + 1, split.to(i));
            })
        .toList();
  }

  /** Returns the priced plan of a split. */
  Plan plan(Split split) {
    return Pricing.price(problem, stages(split)).plan();
  }

  /** The largest compute or transfer time of a split. */
  double bottleneckSeconds(Split split) {
    double largest = 0;
    for (int i = 0; i < split.size(); i++) {
      largest = Math.max(largest, seconds(split.hostClass(i), split.from(i), split.to(i)));
      if (i > 0) {
        largest =
            Math.max(
                largest,
                transferSeconds(split.hostClass(i - 1), split.hostClass(i), split.from(i)));
      }
    }
    return largest;
  }

  private void fillFits(int t) {
    double largestCut = Arrays.stream(cutBytes).max().orElseThrow();
    int buffersOut = problem.buffersOut();
    double room = memoryBytes[t] * (1 - EQUAL_SHARE);
    int surely = 0;
    int perhaps = 0;
    for (int from = 0; from < layers; from++) {
      double in = (double) cutBytes[from] * ((from == 0 ? 0 : problem.buffersIn()) + 1);
      surely = Math.max(surely, from);
      perhaps = Math.max(perhaps, from);
      while (perhaps < layers && layerBytes(from, perhaps + 1) < room) {
        perhaps++;
      }
      double outMost = largestCut * (buffersOut + 1) * (1 + 1e-9) + in;
      // what a stage needs at most need not grow with its first cut
      while (surely > from && layerBytes(from, surely) + outMost >= room) {
        surely--;
      }
      while (surely < perhaps && layerBytes(from, surely + 1) + outMost < room) {
        surely++;
      }
      int base = from >> 6;
      long[] row = new long[(perhaps >> 6) - base + 1];
      setRange(row, from + 1 - (base << 6), surely - (base << 6));
      for (int to = surely + 1; to <= perhaps; to++) {
        if (layerBytes(from, to) + in + (double) cutBytes[to] * (buffersOut + 1) < room) {
          row[(to >> 6) - base] |= 1L << to;
        }
      }
      fits[t][from] = row;
    }
  }

  /** Sets the bits from first to last, both among them. */
  private static void setRange(long[] bits, int first, int last) {
    for (int word = first >> 6; word <= last >> 6 && first <= last; word++) {
      long mask = -1L;
      if (word == first >> 6) {
        mask &= -1L << first;
      }
      if (word == last >> 6) {
        mask &= -1L >>> (63 - (last & 63));
      }
      bits[word] |= mask;
    }
  }

  /**
   * Stages of a plan by class of host.
   *
   * @param hostClasses by stage
   * @param ends last cut of each stage
   */
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
