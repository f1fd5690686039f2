package dev.sluice.bench;

import dev.sluice.bench.PlanProblems.Family;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.PlanOutcome;
import dev.sluice.planning.split.PlanOutcome.Found;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.Planner;
import dev.sluice.planning.split.Pricing;
import dev.sluice.planning.split.SearchSettings;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Duration of the planner's search for {@value #LAYERS} layers on {@value #HOSTS} hosts of {@value
 * #TYPES} types, one thread, warm, in a child process with a heap of 256 MB; ties are decided in
 * it. The reading is the largest median of six families of problems; each plan is priced again, and
 * breaks no rule.
 */
final class PlanBench implements Bench {
  private static final Row ROW = Row.atMostLoops("plan_96x4x32_ms", "ms", 0.05);
  private static final int LAYERS = 96;
  private static final int TYPES = 4;
  private static final int HOSTS = 32;
  private static final int WARM_UPS = 10;
  private static final int INSTANCES = 20;
  private static final double NS_PER_MS = 1e6;

  private final Consumer<String> out;

  /**
   * @param out receives the median of each family
   */
  PlanBench(Consumer<String> out) {
    this.out = out;
  }

  @Override
  public String name() {
    return "plan";
  }

  @Override
  public List<Row> rows() {
    return List.of(ROW);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    String printed =
        ChildJvm.printed(
            List.of("-Xmx256m", "-XX:+UseSerialGC"),
            PlanBench.class.getName(),
            List.of(),
            "the bench of plans");
    double largestMs = 0;
    for (String line : printed.lines().toList()) {
      out.accept("  plan: " + line);
      largestMs = Math.max(largestMs, Double.parseDouble(line.split(" ", -1)[1]));
    }
    return Map.of(ROW, largestMs);
  }

  /** Main of the child: prints each family and its median in milliseconds. */
  public static void main(String[] arguments) {
    for (long seed = INSTANCES; seed < INSTANCES + WARM_UPS; seed++) {
      for (Family family : Family.values()) {
        double unused = searchMs(family, seed);
      }
    }
    for (Family family : Family.values()) {
      double[] ms = new double[INSTANCES];
      for (int i = 0; i < INSTANCES; i++) {
        ms[i] = searchMs(family, i);
      }
      Arrays.sort(ms);
      double median = (ms[(INSTANCES - 1) / 2] + ms[INSTANCES / 2]) / 2;
      System.out.printf(Locale.ROOT, "%s %.4f%n", family.name().toLowerCase(Locale.ROOT), median);
    }
  }

  private static double searchMs(Family family, long seed) {
    PlanProblem problem = PlanProblems.drawn(family, LAYERS, TYPES, HOSTS, seed);
    var settings =
        new SearchSettings(
            Objective.THROUGHPUT, Integer.MAX_VALUE, SearchSettings.STATES_MAX, () -> false);
    long beganNs = MachineClock.monotonicNs();
    PlanOutcome outcome = Planner.plan(problem, settings);
    double ms = (MachineClock.monotonicNs() - beganNs) / NS_PER_MS;
    if (outcome instanceof Found found && found.proved() && breaksNoRule(problem, found.plan())) {
      return ms;
    }
    throw new IllegalStateException(
        "a wrong plan, or none proved: %s %d %s".formatted(family, seed, outcome));
  }

  private static boolean breaksNoRule(PlanProblem problem, Plan plan) {
    List<Plan.Stage> stages = plan.stages().stream().map(Plan.PricedStage::stage).toList();
    return Pricing.price(problem, stages).violations().isEmpty();
  }
}
