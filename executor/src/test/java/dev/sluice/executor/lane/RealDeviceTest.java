package dev.sluice.executor.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.FakeModels;
import dev.sluice.executor.model.FakeModels.Opened;
import dev.sluice.executor.model.JobInput;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes on real models, and the top classes of a job. */
final class RealDeviceTest {
  @Test
  void theSessionsOfALane_knowItsNumber_andShareItsBuffer() throws Exception {
    var models = new FakeModels();
    var resnet = new ModelKey("resnet18", "onnx", "fp16");
    var vit = new ModelKey("vit", "pytorch", "bf16");
    var settings =
        new ExecutorSettings(
            "executor-0", 1, 0, 2, 0, 1, null, 42, 200, List.of(resnet, vit), List.of(1));
    var clock = new ProcessClock(InstantSource.fixed(Instant.EPOCH), () -> 0);
    var device = new RealDevice(models, RealDevice.Holding.ALL, settings, clock, () -> 0);
    device.openLane(0).close();
    device.openLane(1).close();

    assertThat(models.opened)
        .extracting(Opened::model, Opened::lane)
        .containsExactly(tuple(resnet, 0), tuple(vit, 0), tuple(resnet, 1), tuple(vit, 1));
    var buffers = models.opened.stream().map(Opened::buffer).toList();
    assertThat(buffers.get(1)).isSameAs(buffers.get(0)).isNotSameAs(buffers.get(2));
    assertThat(buffers.get(3)).isSameAs(buffers.get(2));
  }

  @Test
  void aLaneFollowsTheFirstByOneLargestBatch_butOnADeviceOfItsOwnByEach() throws Exception {
    var models = new FakeModels();
    models.devices = 2;
    var inferred = new ArrayList<Integer>();
    models.inference =
        jobs -> {
          inferred.add(jobs.get(0).samples());
          return FakeModels.oneHot(jobs);
        };
    var resnet = new ModelKey("resnet18", "pytorch", "fp32");
    var settings =
        new ExecutorSettings(
            "executor-0", 1, 0, 3, 0, 1, null, 42, 200, List.of(resnet), List.of(1, 2, 3));
    var clock = new ProcessClock(InstantSource.fixed(Instant.EPOCH), () -> 0);
    var device = new RealDevice(models, RealDevice.Holding.ALL, settings, clock, () -> 0);
    device.openLane(2).follow(resnet, List.of(1, 2, 3));
    assertThat(inferred).containsExactly(3);
    inferred.clear();
    device.openLane(1).follow(resnet, List.of(1, 2, 3));
    assertThat(inferred).containsExactly(1, 1, 1, 2, 3);
  }

  @Test
  void aBatchTakesOverTheArraysOfTheOneBefore_andFillsThemWithItsOwnInputs() throws Exception {
    var models = new FakeModels();
    var inferred = new ArrayList<float[]>();
    models.inference =
        jobs -> {
          jobs.forEach(job -> inferred.add(job.values()));
          return FakeModels.oneHot(jobs);
        };
    var resnet = new ModelKey("resnet18", "onnx", "fp32");
    var settings =
        new ExecutorSettings(
            "executor-0", 1, 0, 1, 0, 1, null, 42, 200, List.of(resnet), List.of(1, 2));
    var clock = new ProcessClock(InstantSource.fixed(Instant.EPOCH), () -> 0);
    var lane = new RealDevice(models, RealDevice.Holding.ALL, settings, clock, () -> 0).openLane(0);
    lane.prepare(resnet, List.of(new DispatchedJob("a", 1), new DispatchedJob("b", 2)), 1).run();
    lane.prepare(resnet, List.of(new DispatchedJob("c", 2), new DispatchedJob("d", 2)), 1).run();
    assertThat(inferred.get(2)).isSameAs(inferred.get(1)).isNotSameAs(inferred.get(0));
    assertThat(inferred.get(3)).isNotSameAs(inferred.get(2));
    assertThat(inferred.get(2)).isEqualTo(JobInput.make(42, "c", 2, 12).values());
  }

  @Test
  void topClassesAreOfTheJobsOwnRows_theLikeliestFirst() {
    float[][] logits = {
      {9, 0, 0, 0, 0, 0, 0},
      {0, 1, 2, 3, 4, 5, 6},
      {0, 9, 0, 0, 0, 0, 0},
      {9, 0, 0, 0, 0, 0, 0}
    };
    assertThat(RealDevice.topClasses(logits, 1, 3)).containsExactly(1, 6, 5, 4, 3);
  }

  @Test
  void atEqualLogits_theLowerClassComesFirst() {
    assertThat(RealDevice.topClasses(new float[][] {{1, 2, 1, 2}}, 0, 1))
        .containsExactly(1, 3, 0, 2);
  }
}
