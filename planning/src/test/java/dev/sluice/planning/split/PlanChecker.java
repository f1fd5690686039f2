package dev.sluice.planning.split;

import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * A second opinion: judges a plan by the rules alone, without code of the search or its pricing.
 */
final class PlanChecker {
  private PlanChecker() {}

  /** Returns what is wrong with the plan; an empty list if nothing is. */
  static List<String> mistakes(PlanProblem problem, Plan plan) {
    List<String> mistakes = new ArrayList<>();
    var hosts = new HashSet<String>();
    List<Long> cuts = problem.cutBytes();
    double largest = 0, sum = 0, bandwidth = 0;
    long sent = 0;
    int next = 1;
    for (Plan.PricedStage priced : plan.stages()) {
      Stage stage = priced.stage();
      DeviceType type = problem.types().get(stage.type());
      long in = cuts.get(stage.firstLayer() - 1), out = cuts.get(stage.lastLayer());
      if (next > 1) {
        bandwidth = Math.min(bandwidth, type.bitsPerSecond());
        sent += in;
        sum += in * 8 / bandwidth;
        largest = Math.max(largest, in * 8 / bandwidth);
        if (bandwidth == 0) mistakes.add("nothing reaches " + stage);
      }
      if (stage.firstLayer() != next) mistakes.add("wrong first layer: " + stage);
      if (!hosts.add(problem.hostOf(stage))) mistakes.add("host used twice: " + stage);
      double compute = 0, memory = 1.0 * in + out + 1.0 * problem.buffersOut() * out;
      if (next > 1) memory += 1.0 * problem.buffersIn() * in;
      for (next = stage.firstLayer(); next <= stage.lastLayer(); next++) {
        compute += type.layerSeconds().get(next - 1);
        memory += problem.layerBytes().get(next - 1);
      }
      if (memory >= type.memoryBytes()) mistakes.add("does not fit: " + stage);
      bandwidth = type.bitsPerSecond();
      sum += compute;
      largest = Math.max(largest, compute);
    }
    if (next != problem.layers() + 1) mistakes.add("wrong last layer: " + (next - 1));
    if (Math.abs(largest - plan.bottleneckSeconds()) > 1e-12 * largest) mistakes.add("bottleneck");
    if (Math.abs(sum - plan.latencySeconds()) > 1e-12 * sum) mistakes.add("latency");
    if (sent != plan.bytesSent()) mistakes.add("bytes sent");
    return mistakes;
  }
}
