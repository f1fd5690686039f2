package dev.sluice.executor.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.executor.latency.Retraining.Measured;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RecentBatchesTest {
  private final RecentBatches recent = new RecentBatches("fast");

  private void report(String executor, String kind, boolean leaving) {
    recent.take(
        new ExecutorReported(
            executor, 1, leaving, kind, null, List.of(), List.of(), 0, null, null));
  }

  private static BatchCompleted completed(
      String executor, int number, BatchCompleted.Result result) {
    return new BatchCompleted(
        new DispatchId(number, 0),
        executor,
        1,
        0,
        10L * number,
        10L * number + 5,
        5,
        0,
        result,
        null,
        List.of(),
        null,
        2);
  }

  private static BatchDispatched dispatched(String executor, int number) {
    return new BatchDispatched(
        new DispatchId(number, 0),
        new Place(executor, 1, List.of(0)),
        Work.firstAttempt(
            new ModelKey("w", "onnx", "fp32"), List.of(new DispatchedJob("j" + number, 3)), 0),
        Decision.at(0),
        Prediction.ofMean(1, "flops", 1));
  }

  private static PredictionsPublished table(String kind, long version) {
    return new PredictionsPublished(
        "e",
        kind,
        "model",
        version,
        List.of(new PredictionsPublished.Service("w", "onnx", "fp32", List.of(List.of(1L)))),
        List.of());
  }

  @Test
  void batchesThatWereDoneOnTheDeviceKind_count() {
    report("mine", "fast", false);
    report("other", "slow", false);
    recent.take(completed("mine", 1, BatchCompleted.Result.DONE));
    recent.take(completed("mine", 2, BatchCompleted.Result.FAILED));
    recent.take(completed("other", 3, BatchCompleted.Result.DONE));
    for (int number = 1; number <= 3; number++) {
      recent.take(dispatched(number == 3 ? "other" : "mine", number));
    }
    assertThat(recent.measured())
        .containsExactly(new Measured(new ModelKey("w", "onnx", "fp32"), 3, 2, 10, 5));
  }

  @Test
  void onlyTheNewestCount() {
    report("mine", "fast", false);
    int all = RecentBatches.BATCHES_MAX + 7;
    for (int number = 1; number <= all; number++) {
      recent.take(completed("mine", number, BatchCompleted.Result.DONE));
    }
    for (int number = 1; number <= all; number++) {
      recent.take(dispatched("mine", number));
    }
    assertThat(recent.measured()).hasSize(RecentBatches.BATCHES_MAX);
    assertThat(recent.measured().get(0).startedAtNs()).isEqualTo(80);
  }

  @Test
  void theTableOfTheHighestVersionIsInForce() {
    recent.take(table("fast", 2));
    recent.take(table("fast", 1));
    recent.take(table("slow", 9));
    assertThat(recent.table()).isEqualTo(table("fast", 2));
  }

  @Test
  void executorsOfTheKind_untilTheyLeave() {
    report("b", "fast", false);
    report("a", "fast", false);
    report("c", "slow", false);
    assertThat(recent.executors()).containsExactly("a", "b");
    report("a", "fast", true);
    assertThat(recent.executors()).containsExactly("b");
  }
}
