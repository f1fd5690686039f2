package dev.sluice.harness.serve;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.LanesWindow;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Records of a small run. */
final class Windows {
  private static final long SECOND_NS = 1_000_000_000;

  private Windows() {}

  static RunDescribed described(String runId) {
    return new RunDescribed(
        runId,
        1_700_000_000_000L,
        List.of("emulated lanes: they waited instead of computing"),
        "run_name: small\nscheduler_name: fifo\nduration_seconds: 60\nwarmup_seconds: 0\n"
            + "classes:\n  interactive: {slo_ms: 100, priority: 1}\n",
        "c0",
        "r0",
        true,
        Map.of("sluice", "test"));
  }

  /** A second in which ten jobs of one class ended. */
  static MetricsWindow second(long number) {
    var counts =
        new MetricsWindow.Counts(
            10, 10, 0, 0, 1, 9, 5.0, 8.0, 9.0, 2L, LatencyHistogram.of(5_000_000, 9_000_000));
    return new MetricsWindow(
        number * SECOND_NS,
        (number + 1) * SECOND_NS,
        counts,
        Map.of("interactive", counts),
        2,
        1,
        2,
        0.5,
        Map.of(),
        null,
        null,
        1.0,
        1.0,
        MetricsWindow.Predictions.NONE);
  }

  static byte[] json(MetricsWindow window) {
    return EventCodec.METRICS.write(window);
  }

  /** A quarter of a second in which one batch ran. */
  static LanesWindow lanes(long number) {
    long fromNs = number * SECOND_NS / 4;
    var batch =
        new LanesWindow.Batch(
            "0:" + number + "-0",
            1,
            fromNs,
            true,
            fromNs + 1000,
            "DONE",
            "resnet18",
            "onnx",
            "fp32",
            "interactive",
            1,
            "job-" + number,
            1,
            4.0,
            null,
            5.0,
            Map.of());
    var lane = new LanesWindow.Lane(0, 0.1, "resnet18/onnx/fp32", List.of(batch), 0);
    return new LanesWindow(
        fromNs,
        fromNs + SECOND_NS / 4,
        10,
        2,
        1,
        List.of(new LanesWindow.Executor("executor-0", 0, "emulated", null, List.of(lane))));
  }

  static byte[] json(LanesWindow window) {
    return EventCodec.LANES.write(window);
  }

  /** A second of a run with many classes, {@code class-0} and on, like each of its seconds. */
  static MetricsWindow second(long number, int classes) {
    MetricsWindow one = second(number);
    Map<String, MetricsWindow.Counts> byClass = new HashMap<>();
    for (int i = 0; i < classes; i++) {
      byClass.put("class-" + i, one.total());
    }
    return new MetricsWindow(
        one.fromNs(),
        one.toNs(),
        one.total(),
        byClass,
        one.waiting(),
        one.running(),
        one.lanes(),
        one.laneUse(),
        one.blockedNs(),
        one.tokensInUse(),
        one.tokens(),
        one.sendLatenessMsMax(),
        one.sendLatenessMsP99(),
        one.predictions());
  }

  /** A quarter of a second in which each of many lanes ran one batch. */
  static LanesWindow lanes(long number, int executors, int lanesEach) {
    LanesWindow one = lanes(number);
    LanesWindow.Lane lane = one.executors().get(0).lanes().get(0);
    LanesWindow.Batch batch = lane.batches().get(0);
    List<LanesWindow.Executor> all = new ArrayList<>();
    for (int e = 0; e < executors; e++) {
      List<LanesWindow.Lane> lanes = new ArrayList<>();
      for (int i = 0; i < lanesEach; i++) {
        var own =
            new LanesWindow.Batch(
                "0:" + number + "-" + (e * lanesEach + i),
                1,
                batch.startedNs(),
                true,
                batch.finishedNs(),
                batch.result(),
                batch.workload(),
                batch.backend(),
                batch.precision(),
                "class-" + i,
                1,
                batch.firstJob(),
                1,
                batch.predictedMs(),
                null,
                batch.serviceMs(),
                Map.of());
        lanes.add(new LanesWindow.Lane(i, lane.busy(), lane.model(), List.of(own), 0));
      }
      all.add(new LanesWindow.Executor("executor-" + e, 0, "emulated", null, lanes));
    }
    return new LanesWindow(
        one.fromNs(), one.toNs(), one.requested(), one.waiting(), one.running(), all);
  }
}
