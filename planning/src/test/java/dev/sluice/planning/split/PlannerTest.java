package dev.sluice.planning.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanOutcome.Found;
import dev.sluice.planning.split.PlanOutcome.Impossible;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Plans of problems made by hand, and what must hold for every problem. */
final class PlannerTest {
  private static final String NO_SPLIT_FITS = "in each split some stage does not fit its host";
  private static final double MIB = 1 << 20;
  private static final int CASES = 300;
  private static final int BOUNDED_CASES = 40;

  @Test
  void takesTheFewestHosts_whenTheBottleneckIsEqual() {
    PlanProblem problem = twoTypes(List.of(6.0, 1.0, 1.0), 100, 80);

    Found found = found(problem, Objective.THROUGHPUT);

    assertThat(found.proved()).isTrue();
    assertThat(found.plan().bottleneckSeconds()).isEqualTo(6);
    assertThat(stages(found)).containsExactly(new Stage(0, 0, 1, 1), new Stage(0, 1, 2, 3));
  }

  @Test
  void computesOnOneHost_whenLatencyCounts() {
    Found found = found(twoTypes(List.of(6.0, 1.0, 1.0), 100, 80), Objective.LATENCY);

    assertThat(stages(found)).containsExactly(new Stage(0, 0, 1, 3));
    assertThat(found.plan().latencySeconds()).isEqualTo(8);
    assertThat(found.plan().bytesSent()).isZero();
  }

  @Test
  void holdsTheLongerStage_whereAShorterOneDoesNotFit() {
    var type = new DeviceType("t", List.of("a", "b"), 8000, 41, List.of(1.0, 1.0, 1.0));
    var problem =
        new PlanProblem(List.of(1.0, 1.0, 1.0), List.of(1L, 1000L, 10L, 1L), 1, 1, List.of(type));

    Found found = found(problem, Objective.THROUGHPUT);

    assertThat(stages(found)).containsExactly(new Stage(0, 0, 1, 2), new Stage(0, 1, 3, 3));
  }

  @Test
  void tellsWhyThereIsNoPlan() {
    assertThat(reason(layers(3, 30 * MIB, 30 * MIB, 8, 2)))
        .isEqualTo(
            "layer (1) fits nowhere: it needs 30.0 MiB and its buffers, the largest host has 30.0"
                + " MiB");
    assertThat(reason(twoTypes(List.of(1.0, 1.0, 1.0), 10, 80)))
        .startsWith("layer (1) fits nowhere: it needs 0.0 MiB");
    assertThat(reason(layers(4, 30 * MIB, 45 * MIB, 8, 2)))
        .isEqualTo(
            "all layers need 120.0 MiB, and the hosts that may be used have 90.0 MiB together");
    assertThat(reason(layers(2, 30, 45, 0, 2)))
        .isEqualTo(
            "hosts of type (t), which are needed, have a bandwidth of 0: no output can pass");
    assertThat(reason(layers(3, 30, 50, 8, 2))).isEqualTo(NO_SPLIT_FITS);
  }

  @Test
  void findsAPlanWithABound_whenTimeIsUpAtOnce() {
    for (Objective objective : Objective.values()) {
      for (long seed = 0; seed < BOUNDED_CASES; seed++) {
        PlanProblem problem = new RandomProblems(seed).problem(10, 6, 3, 1);
        PlanOutcome exact = Planner.plan(problem, SearchSettings.of(objective));
        if (exact instanceof Found best) {
          for (SearchSettings settings :
              List.of(
                  new SearchSettings(objective, 100, SearchSettings.STATES_MAX, () -> true),
                  new SearchSettings(objective, 100, 1, () -> false))) {
            Found found = (Found) Planner.plan(problem, settings);
            String where = "seed %d, %s".formatted(seed, objective);
            double seconds = best.plan().seconds(objective);
            assertThat(PlanChecker.mistakes(problem, found.plan())).as(where).isEmpty();
            assertThat(found.lowerBoundSeconds())
                .as(where)
                .isLessThanOrEqualTo(seconds * (1 + 1e-9));
            assertThat(found.plan().seconds(objective))
                .as(where)
                .isGreaterThanOrEqualTo(seconds * (1 - 1e-12));
          }
        }
      }
    }
  }

  @Test
  void isNeverWorse_withAnotherHostMoreMemoryOrMoreBandwidth() {
    for (Objective objective : Objective.values()) {
      for (long seed = 0; seed < CASES; seed++) {
        PlanProblem problem = new RandomProblems(seed).problem(10, 6, 3, (int) (seed % 3));
        double before = seconds(problem, objective);
        int changed = (int) (seed % problem.types().size());
        DeviceType type = problem.types().get(changed);
        List<String> hosts = new ArrayList<>(type.hosts());
        hosts.add("another");
        for (DeviceType better :
            List.of(
                changed(type, hosts, type.bitsPerSecond(), type.memoryBytes()),
                changed(type, type.hosts(), type.bitsPerSecond() * 2 + 8, type.memoryBytes()),
                changed(type, type.hosts(), type.bitsPerSecond(), type.memoryBytes() * 1.3 + 1))) {
          List<DeviceType> types = new ArrayList<>(problem.types());
          types.set(changed, better);
          assertThat(seconds(with(problem, types), objective))
              .as("seed %d, %s, %s", seed, objective, better)
              .isLessThanOrEqualTo(before * (1 + 1e-12));
        }
      }
    }
  }

  @Test
  void keepsTheBottleneck_whenTypesAreReorderedOrSplit() {
    for (long seed = 0; seed < CASES; seed++) {
      PlanProblem problem = new RandomProblems(seed).problem(10, 6, 3, (int) (seed % 3));
      double before = seconds(problem, Objective.THROUGHPUT);
      List<DeviceType> reversed = new ArrayList<>(problem.types());
      Collections.reverse(reversed);
      List<DeviceType> single =
          problem.types().stream()
              .flatMap(
                  type ->
                      type.hosts().stream()
                          .map(
                              host ->
                                  changed(
                                      type,
                                      List.of(host),
                                      type.bitsPerSecond(),
                                      type.memoryBytes())))
              .toList();
      for (List<DeviceType> types : List.of(reversed, single)) {
        double seconds = seconds(with(problem, types), Objective.THROUGHPUT);
        assertThat(seconds == before || Math.abs(seconds - before) <= 1e-12 * before)
            .as("seed %d: %s, %s", seed, before, seconds)
            .isTrue();
      }
    }
  }

  @Test
  void namesWhatBreaksTheRulesOfASchedule() {
    PlanProblem problem = layers(2, 30 * MIB, 45 * MIB, 0, 2);

    var priced = Pricing.price(problem, List.of(new Stage(0, 0, 1, 1), new Stage(0, 0, 2, 2)));

    assertThat(priced.violations())
        .containsExactly(
            "link carries nothing: a bandwidth of 0 lies behind h0 [1, 1]",
            "host used twice: h0 [2, 2] has an earlier stage");
    assertThat(priced.plan().bottleneckSeconds()).isInfinite();
    assertThat(Pricing.price(problem, List.of(new Stage(0, 0, 1, 2))).violations())
        .containsExactly(
            "memory exceeded: h0 [1, 2] needs 60.0 MiB, and must need less than the 45.0 MiB of its"
                + " host");
  }

  @Test
  void checkerNamesAWrongPlan() {
    PlanProblem problem = layers(2, 30, 100, 8, 2);
    Plan right = Pricing.price(problem, List.of(new Stage(0, 0, 1, 2))).plan();

    assertThat(PlanChecker.mistakes(problem, right)).isEmpty();
    assertThat(
            PlanChecker.mistakes(
                problem,
                new Plan(
                    right.stages(), right.bottleneckSeconds() * 1.1, right.latencySeconds(), 1)))
        .containsExactly("bottleneck", "bytes sent");
    assertThat(PlanChecker.mistakes(layers(2, 30, 50, 8, 2), right))
        .contains("does not fit: " + right.stages().get(0).stage());
  }

  /** Each of 70 layers takes 1 s and 1 byte; at most ten of them fit a host. */
  @Test
  void splitsMoreLayersThanAWordHasBits() {
    Found throughput = found(layers(70, 1, 10.5, 8, 8), Objective.THROUGHPUT);
    assertThat(throughput.proved()).isTrue();
    assertThat(throughput.plan().bottleneckSeconds()).isEqualTo(9);
    assertThat(stages(throughput)).hasSize(8);

    Found latency = found(layers(70, 1, 10.5, 8, 8), Objective.LATENCY);
    assertThat(latency.proved()).isTrue();
    assertThat(latency.plan().latencySeconds()).isEqualTo(70);
    assertThat(stages(latency)).as("the fewest hosts").hasSize(7);
  }

  @Test
  void findsThePlanThatNeedsEveryHost_whereItSearchesNotAll() {
    PlanProblem problem = layers(70, 1, 10.5, 8, 7);
    Found throughput = inPart(problem, Objective.THROUGHPUT);
    assertThat(throughput.proved()).isFalse();
    assertThat(throughput.plan().bottleneckSeconds()).isEqualTo(10);
    assertThat(stages(throughput)).hasSize(7);
    Found latency = inPart(problem, Objective.LATENCY);
    assertThat(latency.plan().latencySeconds()).isEqualTo(70);
    assertThat(stages(latency)).hasSize(7);
  }

  @Test
  void endsWithAPlanOfNoTimeAtAll_whereItSearchesNotAll() {
    var type = new DeviceType("t", List.of("a", "b"), 8, 45, List.of(0.0, 0.0));
    var problem = new PlanProblem(List.of(30.0, 30.0), List.of(0L, 0L, 0L), 0, 0, List.of(type));

    Found found = inPart(problem, Objective.THROUGHPUT);

    assertThat(found.plan().bottleneckSeconds()).isZero();
    assertThat(stages(found)).hasSize(2);
  }

  @Test
  void provesByABoundThatThereIsNoPlan_whereItSearchesNotAll() {
    for (Objective objective : Objective.values()) {
      assertThat(Planner.plan(layers(3, 30, 50, 8, 2), partly(objective)))
          .isEqualTo(new Impossible(NO_SPLIT_FITS));
    }
  }

  /** One layer fits a host; the fast host takes 1 s for it, the slow one 10 s. */
  @Test
  void boundsTellWhatAScarceHostIsWorth_whereItSearchesNotAll() {
    var fast = new DeviceType("fast", List.of("a"), 8, 45, List.of(1.0, 1.0));
    var slow = new DeviceType("slow", List.of("b"), 8, 45, List.of(10.0, 10.0));
    var problem =
        new PlanProblem(List.of(30.0, 30.0), List.of(0L, 0L, 0L), 0, 0, List.of(fast, slow));

    Found latency = inPart(problem, Objective.LATENCY);
    assertThat(latency.plan().latencySeconds()).isEqualTo(11);
    assertThat(latency.lowerBoundSeconds()).isBetween(10.99, 11 + 1e-9);
    Found throughput = inPart(problem, Objective.THROUGHPUT);
    assertThat(throughput.plan().bottleneckSeconds()).isEqualTo(10);
    assertThat(throughput.lowerBoundSeconds()).isBetween(9.99, 10 + 1e-9);
  }

  /** The middle layer: 100, twice what comes in, four times what goes out, and both. */
  @Test
  void aStageNeedsItsLayersAndItsBuffers_andMoreThanThatOfItsHost() {
    double needed = 100 + 2 * 3 + 4 * 5 + 3 + 5;
    Plan plan = middle(needed + 1).plan();
    assertThat(plan.stages().get(1).memoryBytes()).isEqualTo(needed);
    assertThat(PlanChecker.mistakes(middleOf(needed + 1), plan)).isEmpty();

    assertThat(middle(needed).violations())
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("memory exceeded: b [2, 2] needs");
    assertThat(PlanChecker.mistakes(middleOf(needed), plan))
        .containsExactly("does not fit: " + new Stage(0, 1, 2, 2));
  }

  private static Pricing.Priced middle(double memoryBytes) {
    return Pricing.price(
        middleOf(memoryBytes),
        List.of(new Stage(0, 0, 1, 1), new Stage(0, 1, 2, 2), new Stage(0, 2, 3, 3)));
  }

  private static PlanProblem middleOf(double memoryBytes) {
    return new PlanProblem(
        List.of(1.0, 100.0, 1.0),
        List.of(0L, 3L, 5L, 0L),
        2,
        4,
        List.of(
            new DeviceType("t", List.of("a", "b", "c"), 8, memoryBytes, List.of(1.0, 1.0, 1.0))));
  }

  @Test
  void refusesAHostThatIsNotThere() {
    PlanProblem problem = layers(1, 1, 10, 8, 2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Pricing.price(problem, List.of(new Stage(0, 2, 1, 1))))
        .withMessageContaining("behind layer (0)");
  }

  private static Found inPart(PlanProblem problem, Objective objective) {
    return (Found) Planner.plan(problem, partly(objective));
  }

  private static SearchSettings partly(Objective objective) {
    return new SearchSettings(objective, 100, 1, () -> false);
  }

  private static Found found(PlanProblem problem, Objective objective) {
    return (Found) Planner.plan(problem, SearchSettings.of(objective));
  }

  private static List<Stage> stages(Found found) {
    return found.plan().stages().stream().map(Plan.PricedStage::stage).toList();
  }

  private static String reason(PlanProblem problem) {
    PlanOutcome outcome = Planner.plan(problem, SearchSettings.of(Objective.LATENCY));
    assertThat(Planner.plan(problem, SearchSettings.of(Objective.THROUGHPUT))).isEqualTo(outcome);
    return ((Impossible) outcome).reason();
  }

  /** Smallest value of a plan; infinite if there is none. */
  private static double seconds(PlanProblem problem, Objective objective) {
    return Planner.plan(problem, SearchSettings.of(objective)) instanceof Found found
        ? found.plan().seconds(objective)
        : Double.POSITIVE_INFINITY;
  }

  private static DeviceType changed(
      DeviceType type, List<String> hosts, double bitsPerSecond, double memoryBytes) {
    return new DeviceType(type.name(), hosts, bitsPerSecond, memoryBytes, type.layerSeconds());
  }

  private static PlanProblem with(PlanProblem problem, List<DeviceType> types) {
    return new PlanProblem(
        problem.layerBytes(), problem.cutBytes(), problem.buffersIn(), problem.buffersOut(), types);
  }

  /** Two hosts of the times, and two that take twice as long. */
  private static PlanProblem twoTypes(List<Double> seconds, double memoryBytes, double bits) {
    List<Double> twice = seconds.stream().map(value -> 2 * value).toList();
    return new PlanProblem(
        List.of(10.0, 10.0, 10.0),
        List.of(1L, 2L, 2L, 1L),
        0,
        0,
        List.of(
            new DeviceType("fast", List.of("a", "b"), bits, memoryBytes, seconds),
            new DeviceType("slow", List.of("c", "d"), bits, memoryBytes, twice)));
  }

  /** Layers alike, which put nothing out, on hosts alike. */
  private static PlanProblem layers(
      int layers, double layerBytes, double memoryBytes, double bits, int hosts) {
    return new PlanProblem(
        Collections.nCopies(layers, layerBytes),
        Collections.nCopies(layers + 1, 0L),
        2,
        2,
        List.of(
            new DeviceType(
                "t",
                Stream.iterate(0, host -> host + 1).limit(hosts).map(host -> "h" + host).toList(),
                bits,
                memoryBytes,
                Collections.nCopies(layers, 1.0))));
  }
}
