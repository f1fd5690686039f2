package dev.sluice.scheduling.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import dev.sluice.scheduling.simulation.GraphSchedule.LowerBound;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bounds of requests made by hand. */
final class LowerBoundTest {
  private static final GpuModel ONE = new GpuModel("one", 1, 1, 0, 0);
  private static final GpuModel PAIR = new GpuModel("pair", 1, 2, 0, 0);

  /** After a, which takes one GPU, come b, which takes two, and c. */
  private static final List<WorkflowRequested.Node> FORK =
      List.of(
          HandmadeRequests.node("a", ONE, List.of()),
          HandmadeRequests.node("b", PAIR, List.of(0)),
          HandmadeRequests.node("c", ONE, List.of(0)));

  private static final List<WorkflowRequested> REQUESTS =
      List.of(
          HandmadeRequests.request("r0", FORK, 0, 10, 30, 20),
          HandmadeRequests.request("r1", FORK, 50, 10, 5, 10));

  @Test
  void allWorkIsShared_whereGpusAreFew() {
    // 10 + 2 * 30 + 20 and 10 + 2 * 5 + 10; the paths take 40 and 20
    assertThat(LowerBound.of(REQUESTS, 1)).isEqualTo(new LowerBound(120, 30));
  }

  @Test
  void theLongestPathFromItsArrivalCounts_whereGpusAreMany() {
    assertThat(LowerBound.of(REQUESTS, 4)).isEqualTo(new LowerBound(70, 30));
  }

  @Test
  void isZeroOfNoRequests() {
    assertThat(LowerBound.of(List.of(), 2)).isEqualTo(new LowerBound(0, 0));
  }
}
