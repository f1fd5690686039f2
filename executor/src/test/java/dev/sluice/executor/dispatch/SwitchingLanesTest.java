package dev.sluice.executor.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.executor.dispatch.Executor.LaneFaults;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.RealDevice;
import dev.sluice.executor.model.FakeModels;
import dev.sluice.executor.model.InferenceException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lanes that hold one model at a time, and dispatches that take several of them. */
@Timeout(600)
final class SwitchingLanesTest {
  private static final ModelKey SMALL = new ModelKey("small", "onnx", "fp32");
  private static final ModelKey LARGE = new ModelKey("large", "onnx", "fp32");
  private static final long MS = 1_000_000;
  private static final long LOAD_NS = 30 * MS;

  private final AtomicLong monotonicNs = new AtomicLong(5_000 * MS);
  private final ProcessClock clock =
      new ProcessClock(InstantSource.fixed(Instant.ofEpochSecond(1_000)), monotonicNs::get);
  private final FakeModels models = new FakeModels();
  private final FakeLog log = new FakeLog();
  private final List<Throwable> failures = new ArrayList<>();
  private Executor executor;

  @BeforeEach
  void begin() throws Exception {
    models.opening = lane -> monotonicNs.addAndGet(LOAD_NS);
    executor =
        new Executor(
                new ExecutorSettings(
                    "gpus", 3, 0, 3, 0, 1, null, 42, 200, List.of(SMALL, LARGE), List.of(1)),
                LaneBackend.real("cpu", models, RealDevice.Holding.ONE, () -> 0),
                clock,
                atNs -> monotonicNs.accumulateAndGet(atNs, Math::max),
                (done, total, what) -> {})
            .awaitWarm();
    executor.join(FakeLog.TOPICS, log::opened, LaneFaults.NONE, failures::add);
    assertThat(log.nextReport().capabilities())
        .extracting(ExecutorReported.Capability::loadNs)
        .containsExactly(LOAD_NS, LOAD_NS);
    assertThat(opened() - closed()).as("what lanes hold after their warm-up").isZero();
    log.put(new RunStarted("run-1", clock.epochNs() / MS, 42, "config", "requests", 1, 1, null));
  }

  @AfterEach
  void close() {
    executor.close();
    assertThat(opened()).isEqualTo(closed());
    assertThat(failures).isEmpty();
  }

  private long opened() {
    return models.events.stream().filter(event -> event.startsWith("open")).count();
  }

  private long closed() {
    return models.events.stream().filter(event -> event.startsWith("close")).count();
  }

  private static BatchDispatched dispatch(int id, String workload, Integer... lanes) {
    return new BatchDispatched(
        new DispatchId(id, 0),
        new Place("gpus", 3, List.of(lanes)),
        Work.firstAttempt(
            new ModelKey(workload, "onnx", "fp32"), List.of(new DispatchedJob("r/" + id, 1)), 0),
        Decision.at(0),
        Prediction.ofMean(MS, "warm_up", 1));
  }

  @Test
  void aLaneLoadsAModel_onlyWhenItHoldsAnother_andReleasesThatFirst() throws Exception {
    log.put(dispatch(1, "small", 0));
    assertThat(log.nextCompletion().switchNs()).isEqualTo(LOAD_NS);
    log.put(dispatch(2, "small", 0));
    assertThat(log.nextCompletion().switchNs()).isZero();
    int before = models.events.size();
    log.put(dispatch(3, "large", 0));
    BatchCompleted third = log.nextCompletion();
    assertThat(third.switchNs()).isEqualTo(LOAD_NS);
    assertThat(third.finishedAtNs() - third.startedAtNs())
        .as("the switch is no part of it")
        .isEqualTo(third.serviceNs());
    assertThat(models.events.subList(before, before + 2))
        .containsExactly("close gpus-lane-0", "open gpus-lane-0");
    log.put(dispatch(4, "small", 1));
    assertThat(log.nextCompletion().switchNs()).as("another lane").isEqualTo(LOAD_NS);
  }

  @Test
  void allLanesOfAGang_holdItsModel_beforeTheFirstRunsIt_andAreTakenUntilItHas() throws Exception {
    var inside = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    log.put(dispatch(1, "small", 1));
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
    long openedBefore = opened();
    models.inference =
        jobs -> {
          if (jobs.get(0).jobId().equals("r/2")) {
            inside.countDown();
            await(goOn);
          }
          return FakeModels.oneHot(jobs);
        };
    log.put(dispatch(2, "large", 1, 2));
    await(inside);
    assertThat(opened() - openedBefore).isEqualTo(2);
    log.put(dispatch(3, "small", 2));
    assertThat(log.nextCompletion().cause()).isEqualTo("busy");
    log.put(dispatch(4, "small", 0, 1));
    assertThat(log.nextCompletion().cause()).isEqualTo("busy");
    log.put(dispatch(5, "small", 0));
    assertThat(log.nextCompletion().result())
        .as("nothing of the last is left")
        .isEqualTo(Result.DONE);
    monotonicNs.addAndGet(200 * MS);
    log.wakeUp();
    assertThat(log.nextReport().lanes())
        .extracting(ExecutorReported.Lane::holds)
        .containsExactly(List.of(), List.of(new DispatchId(2, 0)), List.of(new DispatchId(2, 0)));
    goOn.countDown();
    BatchCompleted gang = log.nextCompletion();
    assertThat(gang.dispatchId()).hasToString("2-0");
    assertThat(gang.lane()).isEqualTo(1);
    assertThat(gang.busyLanes()).isEqualTo(2);
    assertThat(gang.switchNs()).isBetween(LOAD_NS, 2 * LOAD_NS); // one clock for both lanes
    log.put(dispatch(6, "large", 1, 2));
    assertThat(log.nextCompletion().switchNs()).isZero();
  }

  @Test
  void aGang_ofWhichALaneCanNotLoad_fails_andFreesItsLanes() throws Exception {
    models.opening =
        lane -> {
          if (lane == 2) {
            throw new InferenceException("no memory", new IllegalStateException());
          }
        };
    log.put(dispatch(1, "large", 1, 2));
    BatchCompleted failed = log.nextCompletion();
    assertThat(failed.result()).isEqualTo(Result.FAILED);
    assertThat(failed.cause()).isEqualTo("no memory");
    models.opening = lane -> {};
    log.put(dispatch(2, "large", 1, 2));
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
