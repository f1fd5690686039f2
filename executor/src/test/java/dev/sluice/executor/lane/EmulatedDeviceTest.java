package dev.sluice.executor.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.experiment.LoadShape.Step;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Emulated lanes on real threads in virtual time. */
@Timeout(600)
final class EmulatedDeviceTest {
  private static final ModelKey MODEL = new ModelKey("any", "onnx", "fp32");
  private static final long MS = 1_000_000;

  /**
   * Times of 10 ms a sample, multiplied by the number of busy lanes; half the speed from 10 s on.
   */
  private static final String PROPORTIONAL =
      """
      workload,backend,precision,samples,busy_lanes,mean_ms
      any,onnx,fp32,1,1,10
      any,onnx,fp32,1,2,20
      """;

  private final VirtualTime time = new VirtualTime();
  private final EmulatedDevice device =
      new EmulatedDevice(emulation(PROPORTIONAL), settings(), time.clock(), time);

  private static Emulation emulation(String table) {
    try {
      Path file = Files.createTempFile("table", ".csv");
      Files.writeString(file, table);
      LatencyTable read = LatencyTable.read(file);
      Files.delete(file);
      return new Emulation(
          "any", read, Map.of(), 1, name -> 5, List.of(new Step(10, 2, 0)), Map.of(), Map.of());
    } catch (IOException | UserMistakeException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ExecutorSettings settings() {
    return new ExecutorSettings(
        "executor-0", 1, 0, 2, 0, 1, null, 42, 200, List.of(MODEL), List.of(1));
  }

  @AfterEach
  void closeTheDevice() {
    device.close();
  }

  private static CompletableFuture<Long> run(LaneWork lane, int samples) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            var batch = lane.prepare(MODEL, List.of(new DispatchedJob("job", samples)), 1);
            batch.run();
            assertThat(batch.results()).isEmpty();
            return batch.emulatedServiceNs();
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        },
        task -> new Thread(task, "lane").start());
  }

  @Test
  void aBatchAloneTakesItsTime() throws Exception {
    var batch = run(device.openLane(0), 2);
    time.untilAwaited(20 * MS);
    assertThat(batch).isNotDone();
    time.moveTo(20 * MS);
    assertThat(batch.get(300, TimeUnit.SECONDS)).isEqualTo(20 * MS);
  }

  @Test
  void aBatchThatStartsAfterADrift_takesLonger() throws Exception {
    device.begin(time.clock().forRun(0));
    time.moveTo(9_999 * MS);
    var before = run(device.openLane(0), 1);
    time.untilAwaited(10_009 * MS);
    time.moveTo(10_009 * MS);
    assertThat(before.get(300, TimeUnit.SECONDS)).isEqualTo(10 * MS);
    var after = run(device.openLane(0), 1);
    time.untilAwaited(10_029 * MS);
    time.moveTo(10_029 * MS);
    assertThat(after.get(300, TimeUnit.SECONDS)).isEqualTo(20 * MS);
  }

  @Test
  void batchesOverlap_andSlowEachOther() throws Exception {
    var first = run(device.openLane(0), 4);
    time.untilAwaited(40 * MS);
    time.moveTo(10 * MS);
    var second = run(device.openLane(1), 1);
    time.untilAwaited(30 * MS);
    time.moveTo(30 * MS);
    assertThat(second.get(300, TimeUnit.SECONDS)).isEqualTo(20 * MS);
    time.moveTo(40 * MS); // the time at which the batch would have ended alone
    time.untilAwaited(50 * MS);
    assertThat(first).isNotDone();
    time.moveTo(50 * MS);
    assertThat(first.get(300, TimeUnit.SECONDS)).isEqualTo(50 * MS);
  }

  @Test
  void anEndBringsTheOthersForward() throws Exception {
    var first = run(device.openLane(0), 1);
    time.untilAwaited(10 * MS);
    var second = run(device.openLane(1), 4);
    time.untilAwaited(80 * MS);
    time.moveTo(10 * MS); // the time at which the first batch would have ended alone
    time.untilAwaited(20 * MS);
    time.moveTo(20 * MS);
    assertThat(first.get(300, TimeUnit.SECONDS)).isEqualTo(20 * MS);
    time.untilAwaited(50 * MS); // the batch is alone now, with three quarters left
    assertThat(second).isNotDone();
    time.moveTo(50 * MS);
    assertThat(second.get(300, TimeUnit.SECONDS)).isEqualTo(50 * MS);
  }

  @Test
  void theMeantTimeStandsEvenIfTheTimerIsLate() throws Exception {
    var batch = run(device.openLane(0), 1);
    time.untilAwaited(10 * MS);
    time.moveTo(17 * MS);
    assertThat(batch.get(300, TimeUnit.SECONDS)).isEqualTo(10 * MS);
  }

  @Test
  void theWarmUpIsTheMeanTimeAlone_withoutWaiting() throws Exception {
    assertThat(device.openLane(0).warmUp(MODEL, 3))
        .isEqualTo(new LaneWork.WarmUpTiming(30 * MS, null));
    assertThat(time.nowNs()).isZero();
  }

  /** A batch that is tried again takes a time of its own, or a bad draw would fail it twice. */
  @Test
  void eachAttemptHasNoiseOfItsOwn() throws Exception {
    var nowNs = new AtomicLong();
    var noisy =
        new EmulatedDevice(
            emulation(
                """
                workload,backend,precision,samples,mean_ms,spread
                any,onnx,fp32,1,10,0.1
                any,onnx,fp32,2,10,0.2
                """),
            settings(),
            new ProcessClock(InstantSource.fixed(Instant.EPOCH), nowNs::get),
            atNs -> nowNs.accumulateAndGet(atNs, Math::max));
    LaneWork lane = noisy.openLane(0);
    for (int attempt = 1; attempt <= 3; attempt++) {
      var jobs = List.of(new DispatchedJob("job", 1), new DispatchedJob("other", 1));
      var batch = lane.prepare(MODEL, jobs, attempt);
      batch.run();
      double factor = Emulation.noise(42, "job", attempt, 0.2);
      assertThat((double) batch.emulatedServiceNs()).isCloseTo(10 * MS * factor, within(1.0));
    }
    noisy.close();
  }

  @Test
  void closingEndsTheWait() throws Exception {
    var batch = run(device.openLane(0), 1);
    time.untilAwaited(10 * MS);
    device.close();
    assertThatThrownBy(() -> batch.get(300, TimeUnit.SECONDS)).hasMessageContaining("has stopped");
  }

  @Test
  void aClosedDeviceRunsNothing() throws Exception {
    var batch = device.openLane(0).prepare(MODEL, List.of(new DispatchedJob("job", 1)), 1);
    device.close();
    assertThatThrownBy(batch::run).hasMessageContaining("has stopped");
  }
}
