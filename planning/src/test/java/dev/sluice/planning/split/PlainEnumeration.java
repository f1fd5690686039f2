package dev.sluice.planning.split;

import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.util.ArrayList;
import java.util.List;

/**
 * All plans of a small problem, one by one: every split, every type of each stage that has a host
 * left. It keeps the first by (bottleneck or latency, hosts, bytes, type and last layer stage by
 * stage).
 */
final class PlainEnumeration {
  private final PlanProblem problem;
  private final Objective objective;
  private final int hostsMax;
  private final int[] used;
  private final List<Stage> stages = new ArrayList<>();

  double bestSeconds = Double.POSITIVE_INFINITY;
  long bestBytes;
  List<Stage> best = List.of();

  PlainEnumeration(PlanProblem problem, Objective objective, int hostsMax) {
    this.problem = problem;
    this.objective = objective;
    this.hostsMax = hostsMax;
    used = new int[problem.types().size()];
    extend(0, 0, 0);
  }

  /** Whether there is a plan. */
  boolean found() {
    return !best.isEmpty();
  }

  private void extend(int cut, double seconds, long bytes) {
    if (cut == problem.layers()) {
      take(seconds, bytes);
      return;
    }
    if (seconds > bestSeconds * (1 + 1e-12) || stages.size() == hostsMax) {
      return;
    }
    for (int t = 0; t < used.length; t++) {
      DeviceType type = problem.types().get(t);
      if (used[t] == type.hosts().size()) {
        continue;
      }
      double transfer = 0;
      if (cut > 0) {
        double other = problem.types().get(stages.get(stages.size() - 1).type()).bitsPerSecond();
        if (Math.min(other, type.bitsPerSecond()) == 0) {
          continue;
        }
        transfer = problem.cutBytes().get(cut) * 8.0 / Math.min(other, type.bitsPerSecond());
      }
      double compute = 0;
      double memory = 0;
      for (int to = cut + 1; to <= problem.layers(); to++) {
        compute += type.layerSeconds().get(to - 1);
        memory += problem.layerBytes().get(to - 1);
        double in = problem.cutBytes().get(cut);
        double out = problem.cutBytes().get(to);
        double needed = memory + (cut == 0 ? 0 : problem.buffersIn()) * in;
        needed += problem.buffersOut() * out + in + out;
        if (needed >= type.memoryBytes()) {
          continue;
        }
        double next =
            objective == Objective.THROUGHPUT
                ? Math.max(seconds, Math.max(compute, transfer))
                : seconds + compute + transfer;
        stages.add(new Stage(t, used[t]++, cut + 1, to));
        extend(to, next, bytes + (to == problem.layers() ? 0 : problem.cutBytes().get(to)));
        stages.remove(stages.size() - 1);
        used[t]--;
      }
    }
  }

  private void take(double seconds, long bytes) {
    boolean equal = Math.abs(seconds - bestSeconds) <= 1e-12 * seconds;
    if (equal ? isBefore(bytes) : seconds < bestSeconds) {
      bestSeconds = seconds;
      bestBytes = bytes;
      best = List.copyOf(stages);
    }
  }

  private boolean isBefore(long bytes) {
    if (stages.size() != best.size()) {
      return stages.size() < best.size();
    }
    if (bytes != bestBytes) {
      return bytes < bestBytes;
    }
    for (int i = 0; i < best.size(); i++) {
      Stage one = stages.get(i);
      Stage other = best.get(i);
      if (one.type() != other.type()) {
        return one.type() < other.type();
      }
      if (one.lastLayer() != other.lastLayer()) {
        return one.lastLayer() < other.lastLayer();
      }
    }
    return false;
  }
}
