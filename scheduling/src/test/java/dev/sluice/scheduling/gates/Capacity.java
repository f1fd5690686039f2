package dev.sluice.scheduling.gates;

import dev.sluice.contract.event.JobRequested;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The highest rate at which 99 % of the jobs are good. */
final class Capacity {
  private Capacity() {}

  static List<JobRequested> arrivals(
      String model, double perSecond, double shape, double sloMs, int jobs, long seed) {
    Random random = new Random(seed);
    List<JobRequested> list = new ArrayList<>();
    double atMs = 0;
    for (int i = 0; i < jobs; i++) {
      atMs += gamma(random, shape) / shape * 1000 / perSecond;
      list.add(Cell.job(i, model, 1, sloMs, atMs));
    }
    return list;
  }

  /** Marsaglia and Tsang. */
  static double gamma(Random random, double shape) {
    if (shape == 1) {
      return -Math.log(1 - random.nextDouble());
    }
    if (shape < 1) {
      return gamma(random, shape + 1) * Math.pow(random.nextDouble(), 1 / shape);
    }
    double d = shape - 1.0 / 3;
    double c = 1 / Math.sqrt(9 * d);
    while (true) {
      double x = random.nextGaussian();
      double v = Math.pow(1 + c * x, 3);
      if (v > 0 && Math.log(random.nextDouble()) < 0.5 * x * x + d - d * v + d * Math.log(v)) {
        return d * v;
      }
    }
  }

  static double find(
      Cell cell,
      String policy,
      Map<String, Double> parameters,
      double shape,
      double sloMs,
      double lowest,
      double highest,
      int jobs) {
    double low = lowest;
    double high = highest;
    while (high / low > 1.005) {
      double rate = Math.sqrt(low * high);
      double good =
          cell.run(policy, parameters, arrivals("model", rate, shape, sloMs, jobs, 7)).goodShare();
      if (good >= 0.99) {
        low = rate;
      } else {
        high = rate;
      }
    }
    return low;
  }

  public static void main(String[] args) {
    int jobs = Integer.parseInt(args[0]);
    String[] policies = args[1].split(",");
    for (String p : policies) {
      StringBuilder line = new StringBuilder(String.format("%-24s", p));
      String[] nameAndParameters = p.split("[:=]");
      Map<String, Double> parameters =
          nameAndParameters.length > 1
              ? Map.of(nameAndParameters[1], Double.parseDouble(nameAndParameters[2]))
              : Map.of();
      double[][] cells = {
        {1.053, 5.072, 25, 8, 1},
        {1.053, 5.072, 25, 8, 0.1},
        {5.090, 18.368, 70, 8, 1},
        {1.053, 5.072, 25, 1, 1},
        {1.053, 5.072, 100, 8, 0.1}
      };
      for (double[] c : cells) {
        Cell cell = Cell.of("model", Cell.linear(c[0], c[1]), (int) c[3]);
        double top = c[3] * 1000 / c[0];
        line.append(
            String.format(
                " %7.0f",
                find(cell, nameAndParameters[0], parameters, c[4], c[2], top / 20, top, jobs)));
      }
      System.out.println(line);
    }
  }
}
