package dev.sluice.executor.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelEvicted;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.executor.dispatch.Executor.LaneFaults;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One emulated lane that holds one of two models: each is loaded in 5 ms and runs 100 ms. */
@Timeout(60)
final class LanesWithAMemoryTest {
  private static final long MS = 1_000_000;
  private static final ModelKey X = new ModelKey("x", "onnx", "fp32");
  private static final ModelKey Y = new ModelKey("y", "onnx", "fp32");

  private final VirtualTime time = new VirtualTime();
  private final FakeLog log = new FakeLog();
  private final List<Throwable> failures = new ArrayList<>();
  private Executor executor;

  @BeforeEach
  void begin() throws Exception {
    var lanes =
        new Lanes(true, 1, 1, "auto", "emulated", null, 200, 0, 2000, 3, 1, List.of(), 100.0);
    Experiment experiment = LaneBackendTest.experiment(true, lanes, workload("x"), workload("y"));
    executor =
        new Executor(
                ExecutorSettings.of(experiment, "executor-0", 1, 0),
                LaneBackend.emulated(Emulation.of(experiment, null, 1, name -> 1)),
                time.clock(),
                time,
                (done, total, what) -> {})
            .awaitWarm();
    executor.join(FakeLog.TOPICS, log::opened, LaneFaults.NONE, failures::add);
    log.put(new RunStarted("run-1", 0, 42, "config", "requests", 1, 1, null));
  }

  @AfterEach
  void close() throws InterruptedException {
    var closed = new Thread(executor::close);
    closed.start();
    while (!hasEnded(closed)) {
      time.moveTo(time.nowNs() + 1_000 * MS); // beyond the end of what runs
    }
    assertThat(failures).isEmpty();
  }

  private static boolean hasEnded(Thread thread) throws InterruptedException {
    thread.join(1);
    return !thread.isAlive();
  }

  private static WorkloadChoice workload(String name) {
    return new WorkloadChoice(name, 1, 10, null, new LinearServiceTime(100, 0, 5.0, 80.0));
  }

  private void prepare(int id, List<ModelKey> releases, ModelKey load) {
    log.put(
        new LanePrepared(new DispatchId(id, 0), "executor-0", 1, 0, releases, List.of(load), 0));
  }

  private void dispatch(
      int id, ModelKey model, @Nullable DispatchId cancels, @Nullable Long notBeforeNs) {
    dispatch(id, 1, model, cancels, notBeforeNs);
  }

  private void dispatch(
      int id,
      int incarnation,
      ModelKey model,
      @Nullable DispatchId cancels,
      @Nullable Long notBeforeNs) {
    log.put(
        new BatchDispatched(
            new DispatchId(id, 0),
            new Place("executor-0", incarnation, List.of(0)),
            Work.firstAttempt(model, List.of(new DispatchedJob("job-" + id, 1)), 14),
            new Decision(0, null, Map.of(), cancels, notBeforeNs),
            Prediction.ofMean(100 * MS, "warm_up", 1)));
  }

  /** Returns once the executor has read all that it was sent. */
  private void untilRead(int id) throws Exception {
    dispatch(id, 0, X, null, null); // for an earlier start: refused at once
    assertThat(log.nextCompletion().result()).isEqualTo(Result.REFUSED);
  }

  private void runX() throws Exception {
    prepare(1, List.of(), X);
    time.untilAwaited(5 * MS);
    time.moveTo(5 * MS);
    dispatch(2, X, null, null);
    time.untilAwaited(105 * MS);
  }

  @Test
  void aModelIsReleased_whenTheCancelledBatchThatUsedItHasEnded() throws Exception {
    runX();
    prepare(3, List.of(X), Y);
    untilRead(4);
    time.moveTo(20 * MS);
    dispatch(5, Y, new DispatchId(2, 0), null);

    BatchCompleted cancelled = log.nextCompletion();
    assertThat(cancelled.result()).isEqualTo(Result.CANCELLED);
    assertThat(cancelled.startedAtNs()).isEqualTo(5 * MS);
    assertThat(cancelled.finishedAtNs()).isEqualTo(20 * MS);
    time.untilAwaited(25 * MS); // the load of the other model
    assertThat(log.all)
        .filteredOn(ModelEvicted.class::isInstance)
        .singleElement()
        .extracting(fact -> ((ModelEvicted) fact).atNs())
        .isEqualTo(20 * MS);
    time.moveTo(25 * MS);
    time.untilAwaited(125 * MS);
    time.moveTo(125 * MS);
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
  }

  @Test
  void aBatchThatIsCancelledWhileItWaitsForItsModel_endsAtOnce() throws Exception {
    prepare(1, List.of(), X);
    time.untilAwaited(5 * MS);
    dispatch(2, X, null, null);
    untilRead(3);
    time.moveTo(2 * MS);
    prepare(4, List.of(X), Y);
    dispatch(5, Y, new DispatchId(2, 0), null);

    assertNeverBegan(log.nextCompletion(), 2 * MS);
    time.moveTo(5 * MS);
    time.untilAwaited(10 * MS);
    time.moveTo(10 * MS);
    time.untilAwaited(110 * MS);
  }

  @Test
  void aBatchThatIsCancelledBeforeItsTime_endsAtOnce() throws Exception {
    prepare(1, List.of(), X);
    time.untilAwaited(5 * MS);
    time.moveTo(5 * MS);
    dispatch(2, X, null, 60 * MS);
    time.untilAwaited(60 * MS);
    time.moveTo(8 * MS);
    dispatch(4, X, new DispatchId(2, 0), null);

    assertNeverBegan(log.nextCompletion(), 8 * MS);
    time.untilAwaited(108 * MS);
  }

  private static void assertNeverBegan(BatchCompleted completed, long atNs) {
    assertThat(completed.dispatchId()).isEqualTo(new DispatchId(2, 0));
    assertThat(completed.result()).isEqualTo(Result.CANCELLED);
    assertThat(completed.startedAtNs()).isEqualTo(atNs);
    assertThat(completed.finishedAtNs()).isEqualTo(atNs);
    assertThat(completed.busyLanes()).isNull();
  }
}
