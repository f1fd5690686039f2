package dev.sluice.executor.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.executor.dispatch.Executor.ExecutorNumbers;
import dev.sluice.executor.dispatch.Executor.LaneFaults;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.RealDevice;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.model.FakeModels;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lane protocol, with a log in memory, made-up models and a clock that the test moves. */
@Timeout(600)
final class ExecutorTest {
  private static final ModelKey RESNET = new ModelKey("resnet18", "onnx", "fp32");
  private static final long MS = 1_000_000;

  private final AtomicLong monotonicNs = new AtomicLong(5_000 * MS);
  private final ProcessClock clock =
      new ProcessClock(InstantSource.fixed(Instant.ofEpochSecond(1_000)), monotonicNs::get);
  private final Pacer pacer = atNs -> monotonicNs.accumulateAndGet(atNs, Math::max);
  private final FakeModels models = new FakeModels();
  private final AtomicLong cpuNs = new AtomicLong();
  private final FakeLog log = new FakeLog();
  private final List<Throwable> failures = new ArrayList<>();
  private int ahead;
  private LaneFaults faults = LaneFaults.NONE;
  private Executor executor;

  private ExecutorSettings settings() {
    return new ExecutorSettings(
        "executor-0", 3, 0, 2, ahead, 1, 1_000L, 42, 200, List.of(RESNET), List.of(1, 2));
  }

  private void warmUp() throws Exception {
    executor =
        new Executor(
                settings(),
                LaneBackend.real("cpu", models, RealDevice.Holding.ALL, cpuNs::get),
                clock,
                pacer,
                (done, total, what) -> {})
            .awaitWarm();
  }

  /** Joins an executor; time zero is the clock's present time. */
  private void join() throws Exception {
    warmUp();
    executor.join(FakeLog.TOPICS, log::opened, faults, failures::add);
    assertThat(log.nextReport().leaving()).isFalse();
  }

  private void begin() throws Exception {
    join();
    log.put(runStarted());
  }

  private RunStarted runStarted() {
    long timeZeroEpochMs = clock.epochNs() / MS;
    return new RunStarted("run-1", timeZeroEpochMs, 42, "config", "requests", 1, 1, null);
  }

  private static BatchDispatched dispatch(String id, int lane) {
    return dispatch(id, "executor-0", 3, List.of(lane), "resnet18", null);
  }

  private static BatchDispatched dispatch(
      String id,
      String executorId,
      long incarnation,
      List<Integer> lanes,
      String workload,
      Long notAfterNs) {
    return new BatchDispatched(
        DispatchId.parse(id),
        new Place(executorId, incarnation, lanes),
        Work.firstAttempt(
            new ModelKey(workload, "onnx", "fp32"),
            List.of(new DispatchedJob("job-" + id, 2), new DispatchedJob("other-" + id, 1)),
            92),
        new Decision(0, notAfterNs, Map.of(), null, null),
        Prediction.ofMean(MS, "warm_up", 1));
  }

  /**
   * A gate that holds inferences until the test opens it, and shows when an inference has begun.
   */
  private final class Gate {
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    Gate() {
      models.inference =
          jobs -> {
            inside.countDown();
            await(goOn);
            return FakeModels.oneHot(jobs);
          };
    }
  }

  private static void assertRefused(BatchCompleted completed, String id, String cause) {
    assertThat(completed.dispatchId()).hasToString(id);
    assertThat(completed.result()).isEqualTo(Result.REFUSED);
    assertThat(completed.cause()).isEqualTo(cause);
    assertThat(completed.startedAtNs()).isNull();
    assertThat(completed.finishedAtNs()).isNull();
  }

  @AfterEach
  void closeTheExecutor() {
    if (executor != null) {
      executor.close();
    }
  }

  @Test
  void reportsWhatItCanRun_whenItJoins() throws Exception {
    models.inference =
        jobs -> {
          monotonicNs.addAndGet(4 * MS);
          cpuNs.addAndGet(4 * MS);
          return FakeModels.oneHot(jobs);
        };
    warmUp();
    executor.join(FakeLog.TOPICS, log::opened, faults, failures::add);
    ExecutorReported report = log.nextReport();
    assertThat(report.executorId()).isEqualTo("executor-0");
    assertThat(report.incarnation()).isEqualTo(3);
    assertThat(report.deviceKind()).isEqualTo("cpu");
    assertThat(report.tokens()).isEqualTo(1_000);
    assertThat(report.lanes()).extracting(ExecutorReported.Lane::index).containsExactly(0, 1);
    assertThat(report.capabilities())
        .containsExactly(
            new ExecutorReported.Capability(
                "resnet18",
                "onnx",
                "fp32",
                1_000,
                List.of(
                    new ExecutorReported.WarmUp(1, 4 * MS),
                    new ExecutorReported.WarmUp(2, 4 * MS))));
    assertThat(report.cpuPerLane()).isEqualTo(1.0);
    assertThat(report.clockOffsetNsMax()).isEqualTo(7);
    assertThat(executor.warnings()).isEmpty();
  }

  @Test
  void warns_whenOneLaneUsesMoreCoresThanItsThreads() throws Exception {
    models.inference =
        jobs -> {
          monotonicNs.addAndGet(4 * MS);
          cpuNs.addAndGet(7 * MS);
          return FakeModels.oneHot(jobs);
        };
    warmUp();
    assertThat(executor.cpuPerLane()).isEqualTo(1.75);
    assertThat(executor.warnings())
        .singleElement()
        .asString()
        .contains("used 1.75 cores at warm-up, though lanes.threads is 1");
  }

  @Test
  void tellsEachStepOfTheWarmUp_ofEachLane() throws Exception {
    var steps = new ArrayList<String>();
    executor =
        new Executor(
                settings(),
                LaneBackend.real("cpu", models, RealDevice.Holding.ALL, cpuNs::get),
                clock,
                pacer,
                (done, total, what) -> steps.add(done + "/" + total + " " + what))
            .awaitWarm();
    assertThat(steps)
        .containsExactly(
            "1/3 resnet18 on onnx in fp32",
            "2/3 resnet18 on onnx in fp32 at 1 sample",
            "3/3 resnet18 on onnx in fp32 at 2 samples");
  }

  @Test
  void isBegun_whileItsLanesWarmUp_timesTheFirstAlone_andJoinsWhenAllAreWarm() throws Exception {
    var follower = new CountDownLatch(1);
    var order = new CopyOnWriteArrayList<String>();
    models.inference =
        jobs -> {
          if (!Thread.currentThread().getName().endsWith("-0")) {
            await(follower);
          }
          order.add(Thread.currentThread().getName());
          return FakeModels.oneHot(jobs);
        };
    executor =
        new Executor(
            settings(),
            LaneBackend.real("cpu", models, RealDevice.Holding.ALL, cpuNs::get),
            clock,
            pacer,
            (done, total, what) -> {});
    assertThatThrownBy(() -> executor.capabilities())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the lanes are not all warm yet");
    assertThatThrownBy(() -> executor.join(FakeLog.TOPICS, log::opened, faults, failures::add))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("its lanes are not all warm yet");
    follower.countDown();
    executor.awaitWarm();
    assertThat(order.indexOf("executor-0-lane-1")).as("first lane timed alone").isEqualTo(2);
    assertThat(order.subList(3, order.size())).isNotEmpty().containsOnly("executor-0-lane-0");
    executor.join(FakeLog.TOPICS, log::opened, faults, failures::add);
    assertThat(log.nextReport().leaving()).isFalse();
  }

  @Test
  void closesAllItsSessions_whenALaneAfterTheFirstFailsToWarmUp() {
    models.inference =
        jobs -> {
          if (!Thread.currentThread().getName().endsWith("-0")) {
            throw new IllegalStateException("another shape");
          }
          return FakeModels.oneHot(jobs);
        };
    assertThatThrownBy(this::warmUp)
        .isInstanceOf(WarmUpException.class)
        .hasMessage("the warm-up of resnet18 on onnx in fp32 failed: another shape");
    assertThat(models.events).contains("close executor-0-lane-0", "close executor-0-lane-1");
  }

  @Test
  void closesItsSessions_whenTheWarmUpFails() {
    models.inference =
        jobs -> {
          throw new IllegalStateException("another shape");
        };
    assertThatThrownBy(this::warmUp)
        .isInstanceOf(WarmUpException.class)
        .hasMessage("the warm-up of resnet18 on onnx in fp32 at 1 sample failed: another shape");
    assertThat(models.events)
        .containsExactlyInAnyOrder(
            "open executor-0-lane-0",
            "close executor-0-lane-0",
            "open executor-0-lane-1",
            "close executor-0-lane-1");
  }

  @Test
  void runsADispatch_andTimesItByTheMonotonicClock() throws Exception {
    begin();
    long zeroNs = monotonicNs.get();
    monotonicNs.addAndGet(30 * MS);
    models.inference =
        jobs -> {
          monotonicNs.addAndGet(5 * MS);
          return FakeModels.oneHot(jobs);
        };
    log.put(dispatch("7-0", 1));
    var completed = log.nextCompletion();
    assertThat(completed)
        .isEqualTo(
            new BatchCompleted(
                new DispatchId(7, 0),
                "executor-0",
                3,
                1,
                30 * MS,
                35 * MS,
                5 * MS,
                0,
                Result.DONE,
                null,
                List.of(
                    new JobResult("job-7-0", List.of(2, 0, 1, 3, 4)),
                    new JobResult("other-7-0", List.of(1, 0, 2, 3, 4))),
                null,
                1));
    assertThat(monotonicNs.get()).isEqualTo(zeroNs + 35 * MS);
    assertThat(models.events.get(models.events.size() - 1)).isEqualTo("infer executor-0-lane-1");
  }

  /** The time to make them counts as wait, so that a fast lane is not charged for the emulation. */
  @Test
  void theServiceTimeBegins_whenTheInputsAreMade() throws Exception {
    models.preparing = () -> monotonicNs.addAndGet(7 * MS);
    models.inference =
        jobs -> {
          monotonicNs.addAndGet(5 * MS);
          return FakeModels.oneHot(jobs);
        };
    warmUp();
    assertThat(executor.capabilities().get(0).warmUps())
        .extracting(ExecutorReported.WarmUp::serviceNs)
        .containsExactly(5 * MS, 5 * MS);
    executor.join(FakeLog.TOPICS, log::opened, faults, failures::add);
    assertThat(log.nextReport().leaving()).isFalse();
    log.put(runStarted());
    log.put(dispatch("7-0", 1));
    BatchCompleted completed = log.nextCompletion();
    assertThat(completed.serviceNs()).isEqualTo(5 * MS);
    assertThat(completed.startedAtNs()).isEqualTo(7 * MS);
    assertThat(completed.finishedAtNs()).isEqualTo(12 * MS);
  }

  @Test
  void lanesOverlap() throws Exception {
    begin();
    var bothInfer = new CyclicBarrier(2);
    models.inference =
        jobs -> {
          try {
            bothInfer.await(300, TimeUnit.SECONDS);
          } catch (Exception e) {
            throw new IllegalStateException("the other lane did not come", e);
          }
          return FakeModels.oneHot(jobs);
        };
    log.put(dispatch("1-0", 0));
    log.put(dispatch("1-1", 1));
    assertThat(List.of(log.nextCompletion(), log.nextCompletion()))
        .extracting(BatchCompleted::result)
        .containsExactly(Result.DONE, Result.DONE);
  }

  @Test
  void keepsTheFirstOfEachId() throws Exception {
    begin();
    log.put(dispatch("5-0", 0));
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-0");
    log.put(dispatch("4-0", 0));
    log.put(dispatch("5-0", 0));
    log.put(dispatch("5-1", 0));
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-1");
    executor.close();
    assertThat(log.all.stream().filter(BatchCompleted.class::isInstance)).hasSize(2);
  }

  @Test
  void refusesABatch_whenItsLaneIsBusy_andReportsWhatTheLaneHolds() throws Exception {
    begin();
    var inside = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    models.inference =
        jobs -> {
          inside.countDown();
          await(goOn);
          return FakeModels.oneHot(jobs);
        };
    log.put(dispatch("5-0", 0));
    await(inside);
    log.put(dispatch("6-0", 0));
    assertRefused(log.nextCompletion(), "6-0", "busy");
    monotonicNs.addAndGet(200 * MS);
    log.wakeUp();
    assertThat(log.nextReport().lanes())
        .containsExactly(
            new ExecutorReported.Lane(0, List.of(new DispatchId(5, 0))),
            new ExecutorReported.Lane(1, List.of()));
    goOn.countDown();
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-0");
    log.put(dispatch("7-0", 0));
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
  }

  @Test
  void saysOfEachBatch_howManyLanesRanOneWhenItBegan() throws Exception {
    begin();
    var gate = new Gate();
    log.put(dispatch("5-0", 0));
    await(gate.inside);
    models.inference = FakeModels::oneHot;
    log.put(dispatch("6-0", 1));
    BatchCompleted second = log.nextCompletion();
    assertThat(second.dispatchId()).hasToString("6-0");
    assertThat(second.busyLanes()).isEqualTo(2);
    gate.goOn.countDown();
    assertThat(log.nextCompletion().busyLanes()).isEqualTo(1);
    log.put(dispatch("7-0", 0));
    assertThat(log.nextCompletion().busyLanes()).isEqualTo(1);
    log.put(dispatch("8-0", 7));
    assertThat(log.nextCompletion().busyLanes()).isNull();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void holdsOneAhead_andRunsThemInTheirOrder_andRefusesAThird() throws Exception {
    ahead = 1;
    begin();
    var gate = new Gate();
    log.put(dispatch("5-0", 0));
    log.put(dispatch("5-1", 0));
    log.put(dispatch("5-2", 0));
    assertRefused(log.nextCompletion(), "5-2", "busy");
    await(gate.inside);
    monotonicNs.addAndGet(200 * MS);
    log.wakeUp();
    assertThat(log.nextReport().lanes())
        .containsExactly(
            new ExecutorReported.Lane(0, List.of(new DispatchId(5, 0), new DispatchId(5, 1))),
            new ExecutorReported.Lane(1, List.of()));
    assertThat(executor.numbers())
        .isEqualTo(new ExecutorNumbers(2, 1, 2, 0, 0, Map.of("busy", 1L), 0));
    gate.goOn.countDown();
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-0");
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-1");
    log.put(dispatch("6-0", 0));
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
  }

  @Test
  void startsTheNext_beforeTheLastsCompletionIsWritten_whenItHoldsOneAhead() throws Exception {
    ahead = 1;
    begin();
    var inferences = new CountDownLatch(2);
    models.inference =
        jobs -> {
          inferences.countDown();
          return FakeModels.oneHot(jobs);
        };
    log.beforeCompletion =
        () -> await(inferences); // the second batch must not wait for this completion
    log.put(dispatch("5-0", 0));
    log.put(dispatch("5-1", 0));
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-0");
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-1");
  }

  @Test
  void goesOnReporting_andRunningOtherLanes_whileALaneHangs() throws Exception {
    var hung = new CountDownLatch(1);
    var forEver = new CountDownLatch(1);
    faults =
        lane -> {
          if (lane == 0) {
            hung.countDown();
            await(forEver);
          }
        };
    begin();
    log.put(dispatch("5-0", 0));
    await(hung);
    for (int i = 6; i < 9; i++) {
      log.put(dispatch(i + "-0", 1));
      assertThat(log.nextCompletion().dispatchId()).isEqualTo(new DispatchId(i, 0));
      monotonicNs.addAndGet(200 * MS);
      log.wakeUp();
      assertThat(log.nextReport().lanes().get(0).holds()).containsExactly(new DispatchId(5, 0));
    }
    forEver.countDown();
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-0");
  }

  @Test
  void leavesALaneBehind_whoseBatchIsOverdue_andClosesNothingUnderIt() throws Exception {
    var hung = new CountDownLatch(1);
    var forEver = new CountDownLatch(1);
    faults =
        lane -> {
          hung.countDown();
          await(forEver);
        };
    begin();
    log.put(dispatch("5-0", 0));
    await(hung);
    monotonicNs.addAndGet(9_999 * MS);
    var closing = CompletableFuture.runAsync(executor::close);
    models.awaitEvent("close executor-0-lane-1");
    assertThat(closing).isNotDone();
    monotonicNs.addAndGet(MS);
    closing.get(300, TimeUnit.SECONDS);
    assertThat(models.events).doesNotContain("close executor-0-lane-0");
    assertThat(log.all.get(log.all.size() - 1))
        .isInstanceOfSatisfying(
            ExecutorReported.class,
            last -> {
              assertThat(last.leaving()).isTrue();
              assertThat(last.lanes().get(0).holds()).containsExactly(new DispatchId(5, 0));
            });
    assertThat(failures).isEmpty();
    forEver.countDown();
    models.awaitEvent("close executor-0-lane-0");
  }

  @Test
  void answersWhatItHadNotRead_afterAPauseOfAnyLength() throws Exception {
    begin();
    log.put(dispatch("5-0", 0));
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
    monotonicNs.addAndGet(
        3_600_000 * MS); // the process stood still, and these dispatches came in meanwhile
    log.put(dispatch("6-0", 0));
    log.put(dispatch("6-0", 0));
    log.put(dispatch("7-0", "executor-0", 3, List.of(0), "resnet18", 100 * MS));
    log.put(dispatch("8-0", "executor-0", 4, List.of(0), "resnet18", null)); // for its successor
    log.put(dispatch("9-0", 1));
    var answers = List.of(log.nextCompletion(), log.nextCompletion(), log.nextCompletion());
    assertThat(answers)
        .extracting(answer -> answer.dispatchId() + " " + answer.result())
        .containsExactlyInAnyOrder("6-0 DONE", "7-0 REFUSED", "9-0 DONE");
    executor.close();
    assertThat(log.all.stream().filter(BatchCompleted.class::isInstance)).hasSize(4);
  }

  @Test
  void failsTheBatch_whenAFaultThrows() throws Exception {
    faults =
        lane -> {
          throw new IllegalStateException("injected");
        };
    begin();
    log.put(dispatch("5-0", 0));
    assertThat(log.nextCompletion().cause()).isEqualTo("injected");
    assertThat(executor.numbers().failed()).isEqualTo(1);
  }

  @Test
  void countsWhatItDid() throws Exception {
    begin();
    assertThat(executor.numbers()).isEqualTo(new ExecutorNumbers(2, 0, 0, 0, 0, Map.of(), 0));
    models.inference =
        jobs -> {
          monotonicNs.addAndGet(5 * MS);
          return FakeModels.oneHot(jobs);
        };
    log.put(dispatch("5-0", 1));
    log.nextCompletion();
    log.put(dispatch("6-0", "executor-0", 2, List.of(0), "resnet18", null));
    log.nextCompletion();
    log.put(dispatch("7-0", 0));
    log.nextCompletion();
    assertThat(executor.numbers())
        .isEqualTo(new ExecutorNumbers(2, 0, 0, 2, 0, Map.of("older_incarnation", 1L), 10 * MS));
  }

  @Test
  void refusesADispatch_forAnOlderIncarnation() throws Exception {
    begin();
    log.put(dispatch("5-0", "executor-0", 2, List.of(0), "resnet18", null));
    assertRefused(log.nextCompletion(), "5-0", "older_incarnation");
  }

  @Test
  void leavesDispatchesAlone_thatAreForOthers() throws Exception {
    begin();
    log.put(dispatch("5-0", "executor-1", 3, List.of(0), "resnet18", null));
    log.put(dispatch("6-0", "executor-0", 4, List.of(0), "resnet18", null));
    log.put(dispatch("7-0", 0));
    assertThat(log.nextCompletion().dispatchId()).hasToString("7-0");
  }

  @Test
  void refusesADispatch_afterItsLatestTime() throws Exception {
    begin();
    monotonicNs.addAndGet(50 * MS);
    log.put(dispatch("5-0", "executor-0", 3, List.of(0), "resnet18", 50 * MS - 1));
    assertRefused(log.nextCompletion(), "5-0", "too_late");
    log.put(dispatch("6-0", "executor-0", 3, List.of(0), "resnet18", 50 * MS));
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
  }

  @Test
  void refusesWhatItCanNotRun() throws Exception {
    begin();
    log.put(dispatch("1-0", "executor-0", 3, List.of(1, 2), "resnet18", null));
    log.put(dispatch("2-0", "executor-0", 3, List.of(2), "resnet18", null));
    log.put(dispatch("3-0", "executor-0", 3, List.of(0), "alexnet", null));
    assertRefused(log.nextCompletion(), "1-0", "unsupported");
    assertRefused(log.nextCompletion(), "2-0", "unsupported");
    assertRefused(log.nextCompletion(), "3-0", "unsupported");
    log.put(dispatch("4-0", "executor-0", 3, List.of(1, 0), "resnet18", null));
    log.put(dispatch("5-0", "executor-0", 3, List.of(0, 0), "resnet18", null));
    log.put(dispatch("6-0", "executor-0", 3, List.of(-1), "resnet18", null));
    assertRefused(log.nextCompletion(), "4-0", "unsupported");
    assertRefused(log.nextCompletion(), "5-0", "unsupported");
    assertRefused(log.nextCompletion(), "6-0", "unsupported");
  }

  @Test
  void reportsAFailedInference_andTheLaneLivesOn() throws Exception {
    begin();
    models.inference =
        jobs -> {
          monotonicNs.addAndGet(2 * MS);
          throw new IllegalStateException("out of range");
        };
    log.put(dispatch("5-0", 0));
    var failed = log.nextCompletion();
    assertThat(failed.result()).isEqualTo(Result.FAILED);
    assertThat(failed.cause()).isEqualTo("out of range");
    assertThat(failed.serviceNs()).isEqualTo(2 * MS);
    assertThat(failed.results()).isEmpty();
    models.inference = FakeModels::oneHot;
    log.put(dispatch("6-0", 0));
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
    assertThat(failures).isEmpty();
  }

  @Test
  void putsBytesAside_thatAreNoDispatch_andPassesOverThoseOfOtherTopics() throws Exception {
    begin();
    log.putText(FakeLog.TOPICS.dispatches(), "rubbish");
    log.putText(FakeLog.TOPICS.runs(), "{}");
    log.put(dispatch("5-0", 0));
    assertThat(log.nextCompletion().result()).isEqualTo(Result.DONE);
    assertThat(log.putAside).hasSize(1);
    assertThat(log.putAside.get(0)).startsWith("run-1.dispatches: rubbish: ");
  }

  @Test
  void keepsADispatch_thatIsReadBeforeTimeZeroIsKnown() throws Exception {
    join();
    log.put(dispatch("5-0", 0));
    log.put(runStarted());
    assertThat(log.nextCompletion().dispatchId()).hasToString("5-0");
  }

  @Test
  void finishesWhatRuns_thenReportsForTheLastTime_thenClosesOnEachLane() throws Exception {
    begin();
    var inside = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    models.inference =
        jobs -> {
          inside.countDown();
          await(goOn);
          return FakeModels.oneHot(jobs);
        };
    log.put(dispatch("5-0", 1));
    await(inside);
    models.events.clear();
    var closing = CompletableFuture.runAsync(executor::close);
    assertThat(closing).isNotDone();
    goOn.countDown();
    closing.get(300, TimeUnit.SECONDS);
    assertThat(models.events)
        .containsExactlyInAnyOrder(
            "infer executor-0-lane-1", "close executor-0-lane-0", "close executor-0-lane-1")
        .containsSubsequence("infer executor-0-lane-1", "close executor-0-lane-1");
    int facts = log.all.size();
    assertThat(log.all.get(facts - 2)).isInstanceOf(BatchCompleted.class);
    assertThat(log.all.get(facts - 1))
        .isInstanceOfSatisfying(
            ExecutorReported.class, last -> assertThat(last.leaving()).isTrue());
    assertThat(log.closed).isTrue();
    executor.close();
    assertThat(log.all).hasSize(facts);
  }

  @Test
  void tellsOnce_whenItCanNotWrite_andReportsNoMore() throws Exception {
    begin();
    int facts = log.all.size();
    log.failure = new IllegalStateException("fenced");
    log.put(dispatch("5-0", 0));
    log.put(dispatch("5-1", 1));
    executor.close();
    assertThat(failures).containsExactly(log.failure);
    assertThat(log.all).hasSize(facts);
    assertThat(log.closed).isTrue();
  }

  @Test
  void refusesToJoin_whenTheBrokerIsOutOfReach() throws Exception {
    warmUp();
    var nobody =
        LogClients.of(Map.of("bootstrap.servers", "127.0.0.1:1", "default.api.timeout.ms", 200));
    assertThatThrownBy(() -> executor.join(FakeLog.TOPICS, nobody, LaneFaults.NONE, failures::add))
        .isInstanceOf(KafkaException.class);
    assertThat(failures).isEmpty();
  }

  @Test
  void closesItsSessions_whenItNeverJoined() throws Exception {
    warmUp();
    models.events.clear();
    executor.close();
    assertThat(models.events)
        .containsExactlyInAnyOrder("close executor-0-lane-0", "close executor-0-lane-1");
  }
}
