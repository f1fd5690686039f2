package dev.sluice.planning.split;

import dev.sluice.planning.split.Plan.PricedStage;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Prices a given schedule by the rules of plans, and names what breaks them. */
public final class Pricing {
  /** Share within which two values are equal. */
  static final double EQUAL_SHARE = 1e-12;

  private Pricing() {}

  /**
   * A schedule's price.
   *
   * @param violations rules that it breaks, in words; a plan breaks none
   */
  public record Priced(Plan plan, List<String> violations) {
    public Priced {
      violations = List.copyOf(violations);
    }
  }

  /**
   * Prices the schedule.
   *
   * @param stages in the order of the layers, which they cover without gap or overlap
   * @throws IllegalArgumentException if a type or host is unknown, or the stages leave a gap or
   *     overlap
   */
  public static Priced price(PlanProblem problem, List<Stage> stages) {
    checkCover(problem, stages);
    List<PricedStage> priced = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    Set<List<Integer>> used = new HashSet<>();
    double bottleneckSeconds = 0;
    double latencySeconds = 0;
    long bytesSent = 0;
    for (int i = 0; i < stages.size(); i++) {
      Stage stage = stages.get(i);
      DeviceType type = problem.types().get(stage.type());
      boolean last = i == stages.size() - 1;
      long bytes = problem.cutBytes().get(stage.lastLayer());
      double bitsPerSecond =
          last
              ? type.bitsPerSecond()
              : Math.min(
                  type.bitsPerSecond(),
                  problem.types().get(stages.get(i + 1).type()).bitsPerSecond());
      double transferSeconds = last ? 0 : transferSeconds(bytes, bitsPerSecond);
      double computeSeconds = computeSeconds(type, stage);
      double memoryBytes = memoryBytes(problem, stage);
      priced.add(new PricedStage(stage, computeSeconds, transferSeconds, memoryBytes));
      bottleneckSeconds = Math.max(bottleneckSeconds, Math.max(computeSeconds, transferSeconds));
      latencySeconds += computeSeconds + transferSeconds;
      bytesSent += last ? 0 : bytes;
      if (!fits(memoryBytes, type.memoryBytes())) {
        violations.add(
            "memory exceeded: %s needs %s MiB, and must need less than the %s MiB of its host"
                .formatted(problem.nameOf(stage), mib(memoryBytes), mib(type.memoryBytes())));
      }
      if (!used.add(List.of(stage.type(), stage.host()))) {
        violations.add("host used twice: " + problem.nameOf(stage) + " has an earlier stage");
      }
      if (!last && bitsPerSecond == 0) {
        violations.add(
            "link carries nothing: a bandwidth of 0 lies behind " + problem.nameOf(stage));
      }
    }
    return new Priced(new Plan(priced, bottleneckSeconds, latencySeconds, bytesSent), violations);
  }

  /** Time to send the bytes: infinite at a bandwidth of 0, which carries nothing. */
  static double transferSeconds(long bytes, double bitsPerSecond) {
    return bitsPerSecond == 0 ? Double.POSITIVE_INFINITY : bytes * 8.0 / bitsPerSecond;
  }

  /** Whether a need is less than the memory, and not equal to it. */
  static boolean fits(double neededBytes, double memoryBytes) {
    return neededBytes < memoryBytes * (1 - EQUAL_SHARE);
  }

  /** Bytes as people read them, without the unit. */
  public static String mib(double bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / (1 << 20));
  }

  private static double computeSeconds(DeviceType type, Stage stage) {
    double seconds = 0;
    for (int layer = stage.firstLayer(); layer <= stage.lastLayer(); layer++) {
      seconds += type.layerSeconds().get(layer - 1);
    }
    return seconds;
  }

  private static double memoryBytes(PlanProblem problem, Stage stage) {
    double bytes = 0;
    for (int layer = stage.firstLayer(); layer <= stage.lastLayer(); layer++) {
      bytes += problem.layerBytes().get(layer - 1);
    }
    double in = problem.cutBytes().get(stage.firstLayer() - 1);
    double out = problem.cutBytes().get(stage.lastLayer());
    int buffersIn = stage.firstLayer() == 1 ? 0 : problem.buffersIn();
    return bytes + buffersIn * in + problem.buffersOut() * out + in + out;
  }

  private static void checkCover(PlanProblem problem, List<Stage> stages) {
    int covered = 0;
    for (Stage stage : stages) {
      if (stage.type() < 0
          || stage.type() >= problem.types().size()
          || stage.host() < 0
          || stage.host() >= problem.types().get(stage.type()).hosts().size()
          || stage.firstLayer() != covered + 1
          || stage.lastLayer() < stage.firstLayer()
          || stage.lastLayer() > problem.layers()) {
        throw new IllegalArgumentException("%s behind layer (%d)".formatted(stage, covered));
      }
      covered = stage.lastLayer();
    }
    if (covered != problem.layers()) {
      throw new IllegalArgumentException(
          "(%d) of (%d) layers are covered".formatted(covered, problem.layers()));
    }
  }
}
