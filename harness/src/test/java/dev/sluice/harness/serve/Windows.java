package dev.sluice.harness.serve;

import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.EventCodec;
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

  static byte[] json(WindowRecord window) {
    return EventCodec.METRICS.write(window);
  }

  /** One batch that ended in a quarter of a second. */
  static BatchesEnded lanes(long number) {
    return lanes(number, 1, 1);
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

  /** A batch of each of many lanes that ended in a quarter of a second. */
  static BatchesEnded lanes(long number, int executors, int lanesEach) {
    long fromNs = number * SECOND_NS / 4;
    List<BatchesEnded.Executor> all = new ArrayList<>();
    for (int e = 0; e < executors; e++) {
      List<BatchesEnded.Lane> lanes = new ArrayList<>();
      for (int i = 0; i < lanesEach; i++) {
        var own =
            new BatchesEnded.Batch(
                "0:" + number + "-" + (e * lanesEach + i),
                1,
                fromNs,
                fromNs + 25_000_000,
                "DONE",
                "resnet18",
                "onnx",
                "fp32",
                lanesEach == 1 ? "interactive" : "class-" + i,
                1,
                "job-" + number,
                1,
                4.0,
                null,
                5.0,
                Map.of());
        lanes.add(new BatchesEnded.Lane(i, 1, List.of(own), null));
      }
      all.add(new BatchesEnded.Executor("executor-" + e, lanes));
    }
    return new BatchesEnded(fromNs + SECOND_NS / 4, all);
  }
}
