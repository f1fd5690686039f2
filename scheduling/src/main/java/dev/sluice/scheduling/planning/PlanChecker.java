package dev.sluice.scheduling.planning;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** A second opinion on plans, which shares no code with the search or the pricing. */
public final class PlanChecker {
  private PlanChecker() {}

  /** Returns what is wrong with the plan; nothing is, if the list is empty. */
  public static List<String> mistakes(PlanProblem problem, Plan plan) {
    List<String> mistakes = new ArrayList<>();
    var hosts = new HashSet<String>();
    double largest = 0, sum = 0, memory;
    long sent = 0;
    int next = 1;
    for (int i = 0; i < plan.stages().size(); i++) {
      Stage s = plan.stages().get(i).stage();
      DeviceType type = problem.types().get(s.type());
      if (s.firstLayer() != next) mistakes.add("stage %d begins at the wrong layer".formatted(i));
      if (!hosts.add(problem.hostOf(s))) mistakes.add("stage %d shares its host".formatted(i));
      memory =
          (s.firstLayer() == 1 ? 1 : problem.buffersIn() + 1)
              * (double) problem.cutBytes().get(s.firstLayer() - 1);
      memory += (problem.buffersOut() + 1) * (double) problem.cutBytes().get(s.lastLayer());
      double compute = 0;
      for (next = s.firstLayer(); next <= s.lastLayer(); next++) {
        memory += problem.layerBytes().get(next - 1);
        compute += type.layerSeconds().get(next - 1);
      }
      if (memory >= type.memoryBytes()) mistakes.add("stage %d does not fit".formatted(i));
      double transfer = 0;
      if (i + 1 < plan.stages().size()) {
        double other = problem.types().get(plan.stages().get(i + 1).stage().type()).bitsPerSecond();
        if (Math.min(type.bitsPerSecond(), other) <= 0)
          mistakes.add("stage %d sends nothing".formatted(i));
        transfer =
            problem.cutBytes().get(s.lastLayer()) * 8 / Math.min(type.bitsPerSecond(), other);
        sent += problem.cutBytes().get(s.lastLayer());
      }
      largest = Math.max(largest, Math.max(compute, transfer));
      sum += compute + transfer;
    }
    if (next != problem.layers() + 1) mistakes.add("the last layers are missing");
    if (Math.abs(largest - plan.bottleneckSeconds()) > 1e-12 * largest)
      mistakes.add("another bottleneck: " + largest);
    if (Math.abs(sum - plan.latencySeconds()) > 1e-12 * sum)
      mistakes.add("another latency: " + sum);
    if (sent != plan.bytesSent()) mistakes.add("other bytes sent: " + sent);
    return mistakes;
  }
}
