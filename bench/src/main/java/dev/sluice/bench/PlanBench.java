package dev.sluice.bench;

import dev.sluice.bench.PlanProblems.Family;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.planning.check.PlanChecker;
import dev.sluice.planning.split.Objective;
import dev.sluice.planning.split.PlanOutcome;
import dev.sluice.planning.split.PlanOutcome.Found;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.Planner;
import dev.sluice.planning.split.SearchSettings;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Duration of the planner's search, one thread, warm, in a child process with a heap of 256 MB;
 * ties are decided in it. A row's reading is the largest median of its families; each plan passes
 * {@link PlanChecker}. For hosts all unlike, the reading is the largest gap.
 */
public final class PlanBench implements Bench {
  private static final double NS_PER_MS = 1e6;
  private static final long GAP_LIMIT_NS = 10_000_000_000L;
  private static final List<Size> SIZES =
      List.of(
          new Size("96x4x32", 96, 4, 32, Objective.THROUGHPUT, 10, 20, 10),
          new Size("192x4x32", 192, 4, 32, Objective.THROUGHPUT, 10, 20, 30),
          new Size("960x2x32", 960, 2, 32, Objective.THROUGHPUT, 10, 20, 10),
          new Size("1000x4x64", 1000, 4, 64, Objective.THROUGHPUT, 1, 20, 1000),
          new Size("96x8x32", 96, 8, 32, Objective.THROUGHPUT, 1, 20, 3000),
          new Size("latency_96x4x8", 96, 4, 8, Objective.LATENCY, 10, 20, 50),
          new Size("latency_96x4x32", 96, 4, 32, Objective.LATENCY, 2, 20, 5000));
  private static final Row GAP = Row.atMost("plan_96x32x32_gap", "share", 0.06);

  private final Consumer<String> out;

  /**
   * @param out receives the median of each family
   */
  public PlanBench(Consumer<String> out) {
    this.out = out;
  }

  @Override
  public String name() {
    return "plan";
  }

  @Override
  public List<Row> rows() {
    return Stream.concat(SIZES.stream().map(Size::row), Stream.of(GAP)).toList();
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    String printed =
        ChildJvm.printed(
            List.of("-Xmx256m", "-XX:+UseSerialGC"),
            PlanBench.class.getName(),
            List.of(),
            "the bench of plans");
    Map<String, Double> largest = new LinkedHashMap<>();
    for (String line : printed.lines().toList()) {
      out.accept("plan: " + line);
      String[] fields = line.split(" ", -1);
      largest.merge(fields[0], Double.parseDouble(fields[2]), Math::max);
    }
    Map<Row, Double> readings = new LinkedHashMap<>();
    rows().forEach(row -> readings.put(row, largest.getOrDefault(row.name(), Double.NaN)));
    return readings;
  }

  /**
   * Main of the child: prints a row's name, a family and its median.
   *
   * @param arguments a part of the names of the rows to measure; none: all rows
   */
  public static void main(String[] arguments) {
    String part = arguments.length == 0 ? "" : arguments[0];
    for (Size size : SIZES) {
      if (size.row().name().contains(part)) {
        size.warmUp();
        for (Family family : Family.values()) {
          print(size.row(), family, size.medianMs(family));
        }
      }
    }
    if (GAP.name().contains(part)) {
      for (Family family : EnumSet.of(Family.VIT_LIKE, Family.SLOW_LINKS)) {
        print(GAP, family, gap(family));
      }
    }
  }

  private static void print(Row row, Family family, double value) {
    System.out.printf(
        Locale.ROOT, "%s %s %.4f%n", row.name(), family.name().toLowerCase(Locale.ROOT), value);
  }

  /** Largest gap of three problems of 32 hosts all unlike, each searched for ten seconds. */
  private static double gap(Family family) {
    double largest = 0;
    for (long seed = 0; seed < 3; seed++) {
      long endNs = MachineClock.monotonicNs() + GAP_LIMIT_NS;
      PlanProblem problem = PlanProblems.drawn(family, 96, 32, 32, seed);
      Found found =
          checked(problem, Objective.THROUGHPUT, () -> MachineClock.monotonicNs() - endNs > 0);
      largest = Math.max(largest, found.gap());
    }
    return largest;
  }

  private static Found checked(
      PlanProblem problem, Objective objective, BooleanSupplier outOfTime) {
    PlanOutcome outcome =
        Planner.plan(
            problem,
            new SearchSettings(objective, Integer.MAX_VALUE, SearchSettings.STATES_MAX, outOfTime));
    if (outcome instanceof Found found && PlanChecker.mistakes(problem, found.plan()).isEmpty()) {
      return found;
    }
    throw new IllegalStateException("a wrong plan: " + outcome);
  }

  /**
   * A size of problems.
   *
   * @param warmUps problems of each family before the first one measured
   * @param instances problems of each family that are measured
   */
  private record Size(
      String name,
      int layers,
      int types,
      int hosts,
      Objective objective,
      int warmUps,
      int instances,
      double goalMs) {
    Row row() {
      return Row.atMost("plan_" + name + "_ms", "ms", goalMs);
    }

    void warmUp() {
      for (long seed = instances; seed < instances + warmUps; seed++) {
        for (Family family : Family.values()) {
          checked(problem(family, seed), objective, () -> false);
        }
      }
    }

    double medianMs(Family family) {
      double[] ms = new double[instances];
      for (int i = 0; i < instances; i++) {
        PlanProblem problem = problem(family, i);
        long beganNs = MachineClock.monotonicNs();
        Found found = checked(problem, objective, () -> false);
        ms[i] = (MachineClock.monotonicNs() - beganNs) / NS_PER_MS;
        if (!found.proved()) {
          throw new IllegalStateException("not proved: %s %d".formatted(family, i));
        }
      }
      Arrays.sort(ms);
      return (ms[(instances - 1) / 2] + ms[instances / 2]) / 2;
    }

    private PlanProblem problem(Family family, long seed) {
      return PlanProblems.drawn(family, layers, types, hosts, seed);
    }
  }
}
