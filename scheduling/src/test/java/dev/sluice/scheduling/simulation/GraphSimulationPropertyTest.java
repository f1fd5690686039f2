package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import dev.sluice.scheduling.simulation.GraphSchedule.LowerBound;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** What holds of every schedule of workflows, under every policy that takes them. */
final class GraphSimulationPropertyTest {
  @Provide
  Arbitrary<String> policies() {
    return Arbitraries.of(
        Policies.names().stream()
            .filter(name -> !Policies.create(name, Map.of()).needs().has(Need.DEADLINES))
            .toList());
  }

  @Property(tries = 1000, shrinking = ShrinkingMode.OFF)
  void rayLike_isTheScanOfTheBaseline(@ForAll long seed) {
    RandomGraphs random = new RandomGraphs(seed);
    assertThat(Recording.of("ray_like", random).placed)
        .isEqualTo(new NaiveBaseline(random.models, random.requests, random.gpus).run());
  }

  @Property(tries = 500, shrinking = ShrinkingMode.OFF)
  void aScheduleIsLegal_andLeavesNothingOut(@ForAll("policies") String policy, @ForAll long seed) {
    RandomGraphs random = new RandomGraphs(seed);
    Recording recording = Recording.of(policy, random);
    runsEachNodeOnce_afterItsInputs(random, recording.placed);
    givesEachGpuToOneAtATime_andTellsTheSwitchRight(random, recording.placed);
    assertThat(recording.ended).containsExactlyInAnyOrderElementsOf(recording.placed);
    assertThat(recording.told.stream().filter(line -> line.contains(" arrived ")))
        .hasSize(random.requests.size());
  }

  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void equalSeedsGiveEqualSchedules(@ForAll("policies") String policy, @ForAll long seed) {
    assertThat(Recording.of(policy, new RandomGraphs(seed)).told)
        .isEqualTo(Recording.of(policy, new RandomGraphs(seed)).told);
  }

  @Property(tries = 300, shrinking = ShrinkingMode.OFF)
  void noScheduleIsBetterThanTheLowerBound(@ForAll("policies") String policy, @ForAll long seed) {
    RandomGraphs random = new RandomGraphs(seed);
    LowerBound bound = LowerBound.of(random.requests, random.gpus.count());
    List<NodeExecution> placed = Recording.of(policy, random).placed;
    long makespanNs = placed.stream().mapToLong(NodeExecution::endedAtNs).max().orElse(0);
    assertThat(makespanNs).isGreaterThanOrEqualTo(bound.makespanNs());
    Map<Integer, Long> endByRequest = new HashMap<>();
    placed.forEach(e -> endByRequest.merge(e.request(), e.endedAtNs(), Math::max));
    double meanNs =
        endByRequest.entrySet().stream()
            .mapToLong(e -> e.getValue() - random.requests.get(e.getKey()).intendedAtNs())
            .average()
            .orElse(0);
    assertThat(meanNs).isGreaterThanOrEqualTo(bound.meanCompletionNs());
  }

  private static void runsEachNodeOnce_afterItsInputs(
      RandomGraphs random, List<NodeExecution> placed) {
    Map<List<Integer>, NodeExecution> byNode = new HashMap<>();
    for (NodeExecution execution : placed) {
      assertThat(byNode.put(List.of(execution.request(), execution.node()), execution)).isNull();
    }
    int nodes = 0;
    for (int r = 0; r < random.requests.size(); r++) {
      WorkflowRequested request = random.requests.get(r);
      nodes += request.nodes().size();
      for (int n = 0; n < request.nodes().size(); n++) {
        NodeExecution execution = byNode.get(List.of(r, n));
        int of = r;
        long readyAtNs =
            request.nodes().get(n).inputs().stream()
                .mapToLong(input -> byNode.get(List.of(of, input)).endedAtNs())
                .reduce(request.intendedAtNs(), Math::max);
        assertThat(execution.readyAtNs()).isEqualTo(readyAtNs);
        assertThat(execution.waitingNs()).isNotNegative();
        assertThat(execution.executionNs()).isEqualTo(request.nodes().get(n).expectedNs());
        assertThat(execution.gpus()).isEqualTo(request.nodes().get(n).lanes());
      }
    }
    assertThat(placed).hasSize(nodes);
  }

  private static void givesEachGpuToOneAtATime_andTellsTheSwitchRight(
      RandomGraphs random, List<NodeExecution> placed) {
    List<NodeExecution> inOrder = new ArrayList<>(placed);
    inOrder.sort(Comparator.comparingLong(NodeExecution::heldAtNs)); // stable: then as placed
    Map<Integer, NodeExecution> lastOn = new HashMap<>();
    for (NodeExecution execution : inOrder) {
      GpuModel model = model(random, execution);
      Set<Long> switches = new HashSet<>();
      for (int gpu = execution.gpu(); gpu < execution.gpu() + execution.gpus(); gpu++) {
        assertThat(gpu).isBetween(0, random.gpus.count() - 1);
        NodeExecution before = lastOn.put(gpu, execution);
        assertThat(before == null ? 0 : before.endedAtNs())
            .isLessThanOrEqualTo(execution.heldAtNs());
        switches.add(random.gpus.switchNs(before == null ? null : model(random, before), model));
        if (random.gpus.gangSwitch() == Gpus.GangSwitch.FIRST) {
          assertThat(switches).contains(execution.switchNs());
        }
      }
      if (random.gpus.gangSwitch() == Gpus.GangSwitch.LONGEST) {
        assertThat(execution.switchNs()).isEqualTo(switches.stream().max(Long::compare).get());
      }
    }
  }

  private static GpuModel model(RandomGraphs random, NodeExecution execution) {
    return HandmadeRequests.byId(random.models)
        .get(random.requests.get(execution.request()).nodes().get(execution.node()).workload());
  }
}
