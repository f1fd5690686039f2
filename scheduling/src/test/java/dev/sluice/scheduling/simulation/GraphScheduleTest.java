package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import dev.sluice.scheduling.simulation.GraphSchedule.Attempts;
import dev.sluice.scheduling.simulation.GraphSchedule.UnfinishedRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The figures of a schedule made by hand. */
final class GraphScheduleTest {
  private static final GpuModel ONE = new GpuModel("one", 1, 1, 30, 0);
  private static final GpuModel PAIR = new GpuModel("pair", 1, 2, 5, 0);

  /** b, which takes two GPUs, comes after a. */
  private static final List<WorkflowRequested.Node> CHAIN =
      List.of(
          HandmadeRequests.node("a", ONE, List.of()), HandmadeRequests.node("b", PAIR, List.of(0)));

  private static final List<WorkflowRequested.Node> SINGLE =
      List.of(HandmadeRequests.node("a", ONE, List.of()));

  /** One that is late by 1, one that is just in time, and one that failed. */
  private static final List<WorkflowRequested> REQUESTS =
      List.of(
          HandmadeRequests.request("late", 69L, CHAIN, 0, 11, 21),
          HandmadeRequests.request("in time", 38L, SINGLE, 2, 11),
          HandmadeRequests.request("failed", 38L, SINGLE, 3, 11));

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
        .extracting(WorkflowRequested::requestId)
        .containsExactly("late", "in time");
  }

  @Test
  void aPromiseIsBrokenByALaterEnd_andByNone() {
    assertThat(schedule.hasPromises()).isTrue();
    assertThat(schedule.sloViolations()).isEqualTo(2);
  }

  @Test
  void completedRequestsHaveTheTimesThatTheirNodesTook() {
    WorkflowRequested late = schedule.completedRequests().get(0);
    assertThat(late.nodes())
        .extracting(WorkflowRequested.Node::expectedNs)
        .containsExactly(10L, 20L);
    assertThat(late.intendedAtNs()).isZero();
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
    WorkflowRequested instant = HandmadeRequests.request("instant", SINGLE, 0, 0);
    var atOnce =
        new GraphSchedule(
            List.of(instant),
            1,
            "fifo",
            List.of(new NodeExecution(0, 0, 0, 1, 0, 0, false, 0, 0, 0)),
            List.of(),
            Attempts.NONE);
    assertThat(atOnce.completed()).isEqualTo(1);
    assertThat(atOnce.completedRequests()).hasSize(1);
    assertThat(atOnce.sloViolations()).isZero();
    assertThat(atOnce.sharesBatches()).isFalse();
  }
}
