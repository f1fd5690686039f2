package dev.sluice.scheduling.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The figures of a schedule made by hand. */
final class GraphScheduleTest {
  private static final GpuModel ONE = new GpuModel("one", 1, 1, 30, 0);
  private static final GpuModel PAIR = new GpuModel("pair", 1, 2, 5, 0);

  /** Promised within 69; b, which takes two GPUs, comes after a. */
  private static final Graph CHAIN =
      new Graph(
          "chain",
          false,
          false,
          69,
          List.of(new Graph.Node("a", ONE, List.of()), new Graph.Node("b", PAIR, List.of(0))));

  /** Promised within 38. */
  private static final Graph SINGLE =
      new Graph("single", true, false, 38, List.of(new Graph.Node("a", ONE, List.of())));

  /** One that is late by 1, one that is just in time, and one that failed. */
  private static final List<GraphRequest> REQUESTS =
      List.of(
          new GraphRequest("late", CHAIN, 0, new long[] {11, 21}),
          new GraphRequest("in time", SINGLE, 2, new long[] {11}),
          new GraphRequest("failed", SINGLE, 3, new long[] {11}));

  private static final NodeExecution LATE_A =
      new NodeExecution(0, 0, 0, 1, 0, 30, false, 30, 10, 1);
  private static final NodeExecution IN_TIME_A =
      new NodeExecution(1, 0, 0, 1, 2, 0, false, 30, 10, 1);
  private static final NodeExecution LATE_B = new NodeExecution(0, 1, 1, 2, 40, 5, true, 50, 20, 2);

  private final GraphSchedule schedule =
      new GraphSchedule(
          REQUESTS,
          3,
          "ray_like",
          List.of(LATE_B, LATE_A, IN_TIME_A),
          new long[] {70, 40, -1},
          List.of(
              new UnfinishedRequest(REQUESTS.get(2), true, true, "it broke"),
              new UnfinishedRequest(REQUESTS.get(2), true, false, "dropped")),
          new Attempts(1, 9));

  @Test
  void countsRequests() {
    assertThat(schedule.requests()).isEqualTo(3);
    assertThat(schedule.completed()).isEqualTo(2);
    assertThat(schedule.failed()).isEqualTo(1);
    assertThat(schedule.completedRequests())
        .extracting(GraphRequest::id)
        .containsExactly("late", "in time");
  }

  @Test
  void aPromiseIsBrokenByALaterEnd_andByNone() {
    assertThat(schedule.hasPromises()).isTrue();
    assertThat(schedule.sloViolations()).isEqualTo(2);
  }

  @Test
  void completedRequestsHaveTheTimesThatTheirNodesTook() {
    GraphRequest late = schedule.completedRequests().get(0);
    assertThat(late.executionNs(0)).isEqualTo(10);
    assertThat(late.executionNs(1)).isEqualTo(20);
    assertThat(late.arrivedAtNs()).isZero();
  }

  @Test
  void executionsStandByTheirStart_thenAsTheyWerePlaced() {
    assertThat(schedule.executions()).containsExactly(LATE_A, IN_TIME_A, LATE_B);
    assertThat(schedule.executionsByModel()).isEqualTo(Map.of("one", 2L, "pair", 1L));
  }

  @Test
  void timesCountFromArrivalOrFromReady() {
    assertThat(schedule.makespanNs()).isEqualTo(70);
    assertThat(schedule.completionNs().meanNs()).isEqualTo(54); // 70 and 38
    assertThat(schedule.waitingNs().meanNs()).isEqualTo(11); // 0, 28 and 5
    assertThat(schedule.responseNs().meanNs()).isEqualTo(36); // 40, 38 and 30
  }

  @Test
  void switchesAreTheExecutionsThatWaitedForTheirModel() {
    assertThat(schedule.switches()).containsExactly(LATE_A, LATE_B);
    assertThat(schedule.firstLoads()).containsExactly(LATE_A);
    assertThat(GraphSchedule.switchNs(schedule.executions())).isEqualTo(35);
  }

  @Test
  void gpusAreHeldFromTheSwitchToTheEnd_onceForASharedBatch() {
    assertThat(schedule.executionsByGpu()).containsExactly(2, 1, 1);
    assertThat(schedule.busyNsByGpu()).containsExactly(40, 25, 25);
    assertThat(GraphSchedule.gpuIds(LATE_B)).containsExactly(1, 2);
  }

  @Test
  void nodesOfOneBatchShareIt() {
    assertThat(schedule.sharesBatches()).isTrue();
    assertThat(schedule.isShared(LATE_A)).isTrue();
    assertThat(schedule.isShared(IN_TIME_A)).isTrue();
    assertThat(schedule.isShared(LATE_B)).isFalse();
  }

  @Test
  void aRequestThatEndedAtTimeZero_isCompleted() {
    GraphRequest instant = new GraphRequest("instant", SINGLE, 0, new long[1]);
    var atOnce =
        new GraphSchedule(
            List.of(instant), 1, "fifo", List.of(), new long[1], List.of(), Attempts.NONE);
    assertThat(atOnce.completed()).isEqualTo(1);
    assertThat(atOnce.completedRequests()).hasSize(1);
    assertThat(atOnce.sloViolations()).isZero();
    assertThat(atOnce.sharesBatches()).isFalse();
  }
}
