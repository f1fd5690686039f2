package dev.sluice.scheduling.simulation;

import static dev.sluice.scheduling.simulation.RandomGraphs.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.event.WorkflowRequested.Node;
import dev.sluice.scheduling.simulation.Gpus.GangSwitch;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The baseline's rules on graphs made by hand; all times in whole seconds. */
final class GraphSimulationTest {
  private static final GpuModel SMALL = new GpuModel("small", 14, 1, 30 * SECOND, 0);
  private static final GpuModel OTHER = new GpuModel("other", 2, 1, 6 * SECOND, 0);
  private static final GpuModel PAIR = new GpuModel("pair", 30, 2, 40 * SECOND, 0);

  private final List<WorkflowRequested> requests = new ArrayList<>();
  private GangSwitch gangSwitch = GangSwitch.LONGEST;

  private GraphSimulationTest request(
      List<Node> graph, long arrivedAtSeconds, long... executionSeconds) {
    requests.add(
        HandmadeRequests.request(
            "r" + requests.size(),
            graph,
            arrivedAtSeconds * SECOND,
            Arrays.stream(executionSeconds).map(s -> s * SECOND).toArray()));
    return this;
  }

  private static List<Node> graph(Node... nodes) {
    return List.of(nodes);
  }

  private static Node node(String id, GpuModel model, Integer... inputs) {
    return HandmadeRequests.node(id, model, List.of(inputs));
  }

  /** Each execution as request.node, GPU, start and end in seconds, and its switch. */
  private List<String> on(int gpus) {
    Recording recording =
        Recording.of(
            "ray_like",
            List.of(SMALL, OTHER, PAIR),
            requests,
            new Gpus(gpus, 16, 2 * SECOND, gangSwitch));
    return recording.placed.stream()
        .map(
            e ->
                "%d.%d on %d from %d to %d after %d"
                    .formatted(
                        e.request(),
                        e.node(),
                        e.gpu(),
                        e.startedAtNs() / SECOND,
                        e.endedAtNs() / SECOND,
                        e.switchNs() / SECOND))
        .toList();
  }

  @Test
  void nothing_takesNoTime() {
    assertThat(on(1)).isEmpty();
  }

  @Test
  void oneGpu_runsOneAfterTheOther_andPaysForEachChange() {
    List<Node> one = graph(node("a", SMALL), node("b", OTHER, 0));
    assertThat(request(one, 0, 8, 4).request(one, 0, 8, 4).on(1))
        .containsExactly(
            "0.0 on 0 from 30 to 38 after 30",
            "1.0 on 0 from 38 to 46 after 0",
            "0.1 on 0 from 49 to 53 after 3", // (14 + 2) / 16 + 2
            "1.1 on 0 from 53 to 57 after 0");
  }

  @Test
  void aDiamond_joinsWhenBothItsBranchesHaveEnded() {
    List<Node> diamond =
        graph(node("a", SMALL), node("b", SMALL, 0), node("c", OTHER, 0), node("d", SMALL, 1, 2));
    assertThat(request(diamond, 0, 1, 2, 5, 1).on(2))
        .containsExactly(
            "0.0 on 0 from 30 to 31 after 30",
            "0.1 on 0 from 31 to 33 after 0",
            "0.2 on 1 from 37 to 42 after 6",
            "0.3 on 0 from 42 to 43 after 0");
  }

  @Test
  void aNodeWithoutInputsInTheMiddle_isReadyAtOnce() {
    List<Node> graph = graph(node("a", SMALL), node("b", OTHER), node("c", SMALL, 0, 1));
    assertThat(request(graph, 0, 1, 1, 1).on(2))
        .containsExactly(
            "0.0 on 0 from 30 to 31 after 30",
            "0.1 on 1 from 6 to 7 after 6",
            "0.2 on 0 from 31 to 32 after 0");
  }

  @Test
  void aGang_waitsBehindSmallJobsThatOvertakeIt_untilNeighboursAreIdle() {
    List<Node> small = graph(node("a", SMALL));
    List<Node> pair = graph(node("p", PAIR));
    request(small, 0, 5).request(pair, 1, 10).request(small, 1, 9).request(small, 2, 2);
    assertThat(on(2))
        .containsExactly(
            "0.0 on 0 from 30 to 35 after 30",
            "2.0 on 1 from 31 to 40 after 30",
            "3.0 on 0 from 35 to 37 after 0",
            "1.0 on 0 from 44 to 54 after 4"); // (14 + 30) / 16 + 2, in whole seconds
  }

  @Test
  void aGang_waitsForItsSlowestGpu_orForItsFirst() {
    List<Node> pair = graph(node("p", PAIR));
    List<Node> other = graph(node("o", OTHER));
    request(pair, 0, 10).request(other, 100, 1).request(pair, 200, 10);
    assertThat(on(3))
        .containsExactly(
            "0.0 on 0 from 40 to 50 after 40",
            "1.0 on 2 from 106 to 107 after 6",
            "2.0 on 0 from 200 to 210 after 0");
    requests.clear();
    request(other, 0, 1).request(pair, 100, 10);
    assertThat(on(2)).last().isEqualTo("1.0 on 0 from 140 to 150 after 40");
    gangSwitch = GangSwitch.FIRST;
    assertThat(on(2)).last().isEqualTo("1.0 on 0 from 104 to 114 after 4");
  }

  @Test
  void arrivalsWhileAllAreBusy_startInTheirOrder() {
    List<Node> small = graph(node("a", SMALL));
    request(small, 0, 5).request(small, 3, 1).request(small, 2, 1);
    assertThat(on(1))
        .containsExactly(
            "0.0 on 0 from 30 to 35 after 30",
            "2.0 on 0 from 35 to 36 after 0",
            "1.0 on 0 from 36 to 37 after 0");
  }

  @Test
  void twoEndsAtOneInstant_freeBothGpus_beforeAnythingIsPlaced() {
    List<Node> small = graph(node("a", SMALL));
    List<Node> other = graph(node("o", OTHER));
    request(other, 0, 34).request(small, 0, 10).request(small, 1, 1).request(other, 1, 1);
    assertThat(on(2))
        .containsExactly(
            "0.0 on 0 from 6 to 40 after 6",
            "1.0 on 1 from 30 to 40 after 30",
            "2.0 on 1 from 40 to 41 after 0", // the first end frees GPU 0, yet 1 holds its model
            "3.0 on 0 from 40 to 41 after 0");
  }

  @Test
  void whatTakesNoTime_endsAtOnce_andFreesWhatWaitsForIt() {
    GpuModel instant = new GpuModel("instant", 0, 1, 0, 0);
    List<Node> chain = graph(node("a", instant), node("b", instant, 0), node("c", instant, 1));
    Recording recording =
        Recording.of(
            "ray_like",
            List.of(instant),
            List.of(HandmadeRequests.request("r", chain, 7, new long[3])),
            new Gpus(1, 16, 0, GangSwitch.LONGEST));
    assertThat(recording.placed).extracting(NodeExecution::endedAtNs).containsExactly(7L, 7L, 7L);
    assertThat(recording.ended).isEqualTo(recording.placed);
  }
}
